"""What repartition, replay and redrive share: reading stretches of a topic or table, batch by batch, into the sink."""
