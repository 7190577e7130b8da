"""`penstock.workers`: several brokers of a cluster on one machine, one a core, from one file of settings."""
