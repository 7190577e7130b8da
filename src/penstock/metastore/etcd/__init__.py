"""The etcd adapter: `store.EtcdMetastore`. Importing that imports grpc, so only who uses etcd should."""
