"""Starting, watching and ending broker and etcd processes on this machine.

For `penstock up --brokers`, for `penstock.workers`, and for the fixtures of penstock.testing. A process is a `Child`.
An `OrphanKiller` ends it when we are gone. A `Supervisor` sees who ends unasked. A `BrokerCluster` is several brokers
and their etcd.
"""
