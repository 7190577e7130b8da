// SPDX-License-Identifier: Apache-2.0
package kafka.server;

import java.util.HashMap;
import java.util.Map;
import java.util.Properties;
import java.util.stream.Stream;
import kafka.utils.Logging;
import kafka.utils.TestInfoUtils;
import org.apache.kafka.clients.consumer.GroupProtocol;
import org.apache.kafka.common.security.auth.SecurityProtocol;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.metadata.storage.Formatter;
import org.apache.kafka.server.common.MetadataVersion;
import org.apache.kafka.server.fault.MockFaultHandler;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.params.provider.Arguments;
import penstock.suites.BrokerHandle;
import penstock.suites.ControllerHandle;
import penstock.suites.NotHere;
import penstock.suites.OutsideBrokers;
import scala.Option;
import scala.collection.Seq;
import scala.collection.immutable.Nil$;

/**
 * Stands in for the class of this name, the ancestor of Kafka's older integration tests, which starts a KRaft controller
 * and brokers in this process: the brokers are those that the runner starts, and there is no controller.
 */
@SuppressWarnings("unchecked")
public abstract class QuorumTestHarness implements Logging {
    private TestInfo testInfo;
    private String logIdent = "";
    private OutsideBrokers brokers;

    @BeforeEach
    public void setUp(TestInfo testInfo) {
        this.testInfo = testInfo;
        brokers = new OutsideBrokers();
    }

    @AfterEach
    public void tearDown() {
        if (brokers != null) {
            brokers.close();
            brokers = null;
        }
    }

    public KafkaBroker createBroker(KafkaConfig config, Time time, boolean startup, Option<String> threads) {
        Map<String, String> settings = new HashMap<>();
        config.originals().forEach((name, value) -> settings.put(name, String.valueOf(value)));
        return BrokerHandle.of(brokers, brokers.add(config.brokerId(), settings), config);
    }

    public Time createBroker$default$2() {
        return Time.SYSTEM;
    }

    public boolean createBroker$default$3() {
        return true;
    }

    public Option<String> createBroker$default$4() {
        return Option.empty();
    }

    // The group protocols that tests are run with ----------------------------------------------------------------------

    public static Stream<Arguments> getTestGroupProtocolParametersAll() {
        return Stream.of(Arguments.of("classic"), Arguments.of("consumer"));
    }

    public static Stream<Arguments> getTestGroupProtocolParametersClassicGroupProtocolOnly() {
        return Stream.of(Arguments.of("classic"));
    }

    public static Stream<Arguments> getTestGroupProtocolParametersConsumerGroupProtocolOnly() {
        return Stream.of(Arguments.of("consumer"));
    }

    public Option<GroupProtocol> maybeGroupProtocolSpecified() {
        return TestInfoUtils.maybeGroupProtocolSpecified(testInfo);
    }

    public GroupProtocol groupProtocolFromTestParameters() {
        return maybeGroupProtocolSpecified().get();
    }

    // What a KRaft controller would say --------------------------------------------------------------------------------

    public Seq<ControllerServer> controllerServers() {
        return (Seq<ControllerServer>) (Seq<?>) Nil$.MODULE$;
    }

    public ControllerServer controllerServer() {
        return ControllerHandle.of(brokers);
    }

    public QuorumImplementation implementation() {
        throw NotHere.controller();
    }

    public void shutdownKRaftController() {
        throw NotHere.controller();
    }

    public Seq<Properties> kraftControllerConfigs(TestInfo testInfo) {
        return (Seq<Properties>) (Seq<?>) Nil$.MODULE$;
    }

    public Seq<SecurityProtocol> extraControllerSecurityProtocols() {
        return (Seq<SecurityProtocol>) (Seq<?>) Nil$.MODULE$;
    }

    public SecurityProtocol controllerListenerSecurityProtocol() {
        return SecurityProtocol.PLAINTEXT;
    }

    public MetadataVersion metadataVersion() {
        return MetadataVersion.latestTesting();
    }

    public void addFormatterSettings(Formatter formatter) {
        // Nothing is formatted.
    }

    public MockFaultHandler faultHandler() {
        return new MockFaultHandler("unused");
    }

    // kafka.utils.Logging ----------------------------------------------------------------------------------------------

    @Override
    public String logIdent() {
        return logIdent;
    }

    @Override
    public void logIdent_$eq(String ident) {
        logIdent = ident;
    }
}
