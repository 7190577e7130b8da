"""A broker as a program: HTTP about it (/health, /ready, /metrics), where it listens, and readiness for systemd."""
