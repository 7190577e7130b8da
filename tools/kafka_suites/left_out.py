"""Which of Kafka's tests are not run, by class or Class#method, with the reason. What a test's cluster shows by itself
(TLS, SASL, an authorizer, a look into the broker's process) needs no line here.
"""

NO_SHARE_GROUPS = "not built yet: share groups"
NO_ACLS = "not built yet: ACLs"
NO_QUOTAS = "not built yet: quotas"
NO_CONTROLLER_FILE = "wants defaults of topics from the settings of a controller's own process"

LEFT_OUT: dict[str, str] = {
    "ShareConsumerTest": NO_SHARE_GROUPS,
    "ShareConsumerRackAwareTest": NO_SHARE_GROUPS,
    "DescribeAuthorizedOperationsTest": NO_ACLS,
    "GroupAuthorizerIntegrationTest": NO_ACLS,
    "CustomQuotaCallbackTest": NO_QUOTAS,
    "AutoTopicCreationTest#testAutoCreateTopicWithImplicitBrokerConfig": NO_CONTROLLER_FILE,
    "AutoTopicCreationTest#testAutoCreateTopicWithMixedConfig": NO_CONTROLLER_FILE,
}
