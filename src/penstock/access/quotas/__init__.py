"""How much somebody may use: quotas of users, client ids and addresses, and tenants with theirs."""
