"""Groups of the consumer protocol (KIP-848), where the coordinator assigns and each member reconciles by itself."""
