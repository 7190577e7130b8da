"""Which of Kafka's tests are not run, by class, Class#method or Class#method [number], with the reason. What a test's
cluster shows by itself (TLS, SASL, an authorizer, a look into the broker's process) needs no line here.
"""

OTHER_FEATURES = "compares all features that are listed: those of Raft, share and streams groups are not built"
IN_WORDS = "wants no words with the error; ours has some"
NO_PROTOCOLS = "wants group.coordinator.rebalance.protocols, which has no effect here: group.version decides"
HASH_ORDER = "compares the order in which a hash map of Kafka's lists groups or members"
BROKERS_ONLY = "sends as a broker, without the cluster's secret (RULES 25)"
OTHER_VOTERS = "wants controllers with ids of their own, which are no brokers"
BROKERS_METRICS = "looks into the broker's process: its metrics; what it answers is what is wanted"
OTHER_SETTINGS = "wants topics to have no settings but Kafka's"
OTHER_LEVELS = "wants clusters that begin at another level of metadata.version"
JAVA_CLASSES = (
    "wants a Java class in the broker's process: a policy, callback, assignor, builder of principals, reporter"
)
CUT_BATCHES = "wants partial batches where a limit of bytes is reached; whole ones are sent here"
NO_CONTROLLER_FILE = "wants defaults of topics from the settings of a controller's own process"

_WORDS_OR_SETTING = "ConsumerGroupHeartbeatRequestTest#testConsumerGroupHeartbeatIsInaccessibleWhen"
_TO_BROKERS = "AddPartitionsToTxnRequestServerTest#"
_IN_A_BATCH = _TO_BROKERS + "shouldReceiveOperationNotAttemptedWhenOtherPartitionHasError"

LEFT_OUT: dict[str, str] = {
    "GroupAuthorizerIntegrationTest": JAVA_CLASSES,
    "CustomQuotaCallbackTest": JAVA_CLASSES,
    "ShareConsumerRackAwareTest": JAVA_CLASSES,
    "ClientTelemetryTest#testClientInstanceId": JAVA_CLASSES,
    "ApiVersionsRequestTest#testApiVersionsRequest": OTHER_FEATURES,
    "ApiVersionsRequestTest#testApiVersionsRequestIncludesUnreleasedApis": OTHER_FEATURES,
    "ConsumerGroupDescribeRequestTest#testConsumerGroupDescribeWhenFeatureFlagNotEnabled": IN_WORDS,
    "ConsumerGroupDescribeRequestTest#testConsumerGroupDescribeWithNewGroupCoordinator": HASH_ORDER,
    _WORDS_OR_SETTING + "FeatureFlagNotEnabled": IN_WORDS,
    _WORDS_OR_SETTING + "DisabledByStaticConfig": NO_PROTOCOLS,
    "ShareGroupHeartbeatRequestTest#testShareGroupHeartbeatIsInAccessibleWhenConfigsDisabled": IN_WORDS,
    "ShareGroupDescribeRequestTest#testShareGroupDescribeIsInAccessibleWhenConfigsDisabled": IN_WORDS,
    "ListGroupsRequestTest#testListGroupsWithNewConsumerGroupProtocol": HASH_ORDER,
    _IN_A_BATCH + " [5]": BROKERS_ONLY,
    _IN_A_BATCH + " [6]": BROKERS_ONLY,
    _TO_BROKERS + "testVerifyOnly": BROKERS_ONLY,
    _TO_BROKERS + "testOneSuccessOneErrorInBatchedRequest": BROKERS_ONLY,
    "WriteTxnMarkersRequestTest": BROKERS_ONLY,
    "ProduceRequestTest#testCorruptLz4ProduceRequest": BROKERS_METRICS,
    "CreateTopicsRequestWithPolicyTest#testErrorCreateTopicsRequests": JAVA_CLASSES,
    "AdminClientWithPoliciesIntegrationTest": JAVA_CLASSES,
    "FetchRequestTest#testBrokerRespectsPartitionsOrderAndSizeLimits": CUT_BATCHES,
    "ShareConsumerTest#testRenewAcknowledgementInvalidStateRecord": BROKERS_METRICS,
    "ShareConsumerTest#testRenewAcknowledgementNoResultInPoll": BROKERS_METRICS,
    "ShareConsumerTest#testRenewAcknowledgementOnCommitSync": BROKERS_METRICS,
    "ShareConsumerTest#testRenewAcknowledgementOnPoll": BROKERS_METRICS,
    "SocketServerMemoryPoolTest": "looks into the broker's process: its memory pool, by reflection",
    "MetricsDuringTopicCreationDeletionTest": "looks into the broker's process: its metrics",
    "MetadataVersionIntegrationTest": OTHER_LEVELS,
    "StaticBrokerConfigTest#testInternalConfigsDoNotReturnForCreateTopics": OTHER_SETTINGS,
    "DescribeQuorumRequestTest": OTHER_VOTERS,
    "AutoTopicCreationTest#testAutoCreateTopicWithImplicitBrokerConfig": NO_CONTROLLER_FILE,
    "AutoTopicCreationTest#testAutoCreateTopicWithMixedConfig": NO_CONTROLLER_FILE,
}
