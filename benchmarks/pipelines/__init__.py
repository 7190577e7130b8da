"""Spark over topics, measured: source, sink and lake, beside Spark's own connector."""
