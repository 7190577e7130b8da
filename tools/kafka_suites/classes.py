"""The test classes that are run, by package."""

CLIENTS = "org.apache.kafka.clients"

_BY_PACKAGE = {
    CLIENTS: """
        ClientRebootstrapTest CreateTopicsRequestWithPolicyTest MetadataVersionIntegrationTest
        MetricsDuringTopicCreationDeletionTest TransactionsExpirationTest TransactionsWithMaxInFlightOneTest
    """,
    f"{CLIENTS}.admin": """
        AdminClientWithPoliciesIntegrationTest AdminFenceProducersTest AutoTopicCreationTest ClientTelemetryTest
        ConcurrentListOffsetsRequestTest DeleteTopicTest DescribeAuthorizedOperationsTest DescribeFeaturesTest
        DescribeProducersWithBrokerIdTest DynamicGroupConfigIntegrationTest ListOffsetsIntegrationTest
        RackAwareAutoTopicCreationTest StaticBrokerConfigTest
    """,
    f"{CLIENTS}.consumer": """
        ConsumerBounceTest ConsumerIntegrationTest ConsumerTopicCreationTest
        ConsumerWithLegacyMessageFormatIntegrationTest PlaintextConsumerAssignTest PlaintextConsumerCallbackTest
        PlaintextConsumerCloseTest PlaintextConsumerCommitTest PlaintextConsumerFetchTest PlaintextConsumerPollTest
        PlaintextConsumerSubscriptionTest PlaintextConsumerTest SaslPlainPlaintextConsumerTest
        ShareConsumerRackAwareTest ShareConsumerTest
    """,
    f"{CLIENTS}.producer": """
        ProducerCompressionTest ProducerFailureHandlingTest ProducerIdExpirationTest ProducerIntegrationTest
        ProducerSendWhileDeletionTest SocketServerMemoryPoolTest
    """,
    f"{CLIENTS}.security": "GroupAuthorizerIntegrationTest",
    "org.apache.kafka.server.quota": "CustomQuotaCallbackTest",
    "kafka.api": """
        ConsumerBounceTest GroupCoordinatorIntegrationTest PlaintextAdminIntegrationTest PlaintextConsumerAssignorsTest
        PlaintextConsumerTest PlaintextProducerSendTest TransactionsBounceTest TransactionsTest
    """,
    "kafka.admin": "AddPartitionsTest",
    "kafka.server": """
        AddPartitionsToTxnRequestServerTest AlterReplicaLogDirsRequestTest ApiVersionsRequestTest
        ConsumerGroupDescribeRequestTest ConsumerGroupHeartbeatRequestTest ConsumerProtocolMigrationTest
        CreateTopicsRequestTest DeleteGroupsRequestTest DeleteRecordsRequestTest DeleteTopicsRequestTest
        DeleteTopicsRequestWithDeletionDisabledTest DescribeClusterRequestTest DescribeGroupsRequestTest
        DescribeLogDirsRequestTest DescribeQuorumRequestTest EdgeCaseRequestTest FetchFromFollowerIntegrationTest
        FetchRequestMaxBytesTest FetchRequestTest HeartbeatRequestTest JoinGroupRequestTest LeaveGroupRequestTest
        ListGroupsRequestTest ListOffsetsRequestTest LogOffsetTest OffsetCommitRequestTest OffsetDeleteRequestTest
        OffsetFetchRequestTest OffsetsForLeaderEpochRequestTest ProduceRequestTest ReplicaFetchTest
        ShareFetchAcknowledgeRequestTest ShareGroupDescribeRequestTest ShareGroupHeartbeatRequestTest
        SyncGroupRequestTest TxnOffsetCommitRequestTest WriteTxnMarkersRequestTest
    """,
    "org.apache.kafka.streams.integration": "RegexSourceIntegrationTest",
}
CLASSES = tuple(f"{package}.{name}" for package, names in _BY_PACKAGE.items() for name in names.split())


def full_name(name: str) -> str:
    """Of a class, or of Class#method: the first here that ends so. A class that is not listed is named in full."""
    simple, _, method = name.partition("#")
    found = next((each for each in CLASSES if each.endswith(f".{simple}")), simple)
    return f"{found}#{method}" if method else found
