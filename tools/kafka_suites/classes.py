"""The test classes that are run."""

CLIENTS = "org.apache.kafka.clients"
STREAMS = "org.apache.kafka.streams.integration"

_BY_PACKAGE = {
    CLIENTS: (
        "ClientRebootstrapTest",
        "CreateTopicsRequestWithPolicyTest",
        "MetadataVersionIntegrationTest",
        "MetricsDuringTopicCreationDeletionTest",
        "TransactionsExpirationTest",
        "TransactionsWithMaxInFlightOneTest",
    ),
    f"{CLIENTS}.admin": (
        "AdminClientWithPoliciesIntegrationTest",
        "AdminFenceProducersTest",
        "AutoTopicCreationTest",
        "ClientTelemetryTest",
        "ConcurrentListOffsetsRequestTest",
        "DeleteTopicTest",
        "DescribeAuthorizedOperationsTest",
        "DescribeFeaturesTest",
        "DescribeProducersWithBrokerIdTest",
        "DynamicGroupConfigIntegrationTest",
        "ListOffsetsIntegrationTest",
        "RackAwareAutoTopicCreationTest",
        "StaticBrokerConfigTest",
    ),
    f"{CLIENTS}.consumer": (
        "ConsumerBounceTest",
        "ConsumerIntegrationTest",
        "ConsumerTopicCreationTest",
        "ConsumerWithLegacyMessageFormatIntegrationTest",
        "PlaintextConsumerAssignTest",
        "PlaintextConsumerCallbackTest",
        "PlaintextConsumerCloseTest",
        "PlaintextConsumerCommitTest",
        "PlaintextConsumerFetchTest",
        "PlaintextConsumerPollTest",
        "PlaintextConsumerSubscriptionTest",
        "PlaintextConsumerTest",
        "SaslPlainPlaintextConsumerTest",
        "ShareConsumerRackAwareTest",
        "ShareConsumerTest",
    ),
    f"{CLIENTS}.producer": (
        "ProducerCompressionTest",
        "ProducerFailureHandlingTest",
        "ProducerIdExpirationTest",
        "ProducerIntegrationTest",
        "ProducerSendWhileDeletionTest",
        "SocketServerMemoryPoolTest",
    ),
    f"{CLIENTS}.security": ("GroupAuthorizerIntegrationTest",),
    "org.apache.kafka.server.quota": ("CustomQuotaCallbackTest",),
    STREAMS: ("RegexSourceIntegrationTest",),
}
PACKAGES = {name: package for package, names in _BY_PACKAGE.items() for name in names}
CLASSES = tuple(PACKAGES)


def full_name(name: str) -> str:
    """Of a class, or of Class#method; a class that is not listed here is named in full."""
    simple = name.partition("#")[0]
    return f"{PACKAGES[simple]}.{name}" if simple in PACKAGES else name
