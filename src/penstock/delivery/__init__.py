"""Delivery beyond offsets: who gets which record, what became of it, and what moves on by itself."""
