"""Writing and reading records: a producer and a consumer without I/O, and their two drivers."""
