"""Delivery beyond offsets: who gets which record, and what became of it."""
