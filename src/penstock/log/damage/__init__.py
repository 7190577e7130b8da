"""Batches that were found bad: refused, looked for, and mended from another replica."""
