"""The schema registry: schemas by subject and version, as Confluent's registry keeps and serves them."""
