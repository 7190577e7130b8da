"""What only the controller does: declare brokers lost, elect leaders, give partitions back, sweep what was left."""
