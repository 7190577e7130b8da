"""Users: who can log in, and by what. They are entries of the metadata store (ADR 62), their keys sealed."""
