"""A simulated cluster: real machines and services, everything around them from one seed (docs/simulation.md)."""
