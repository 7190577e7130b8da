"""A broker among others: registered, probed, cut off, and known by the cluster's secret."""
