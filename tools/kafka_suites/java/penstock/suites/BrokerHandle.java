// SPDX-License-Identifier: Apache-2.0
package penstock.suites;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Properties;
import kafka.server.KafkaBroker;
import kafka.server.KafkaConfig;
import org.apache.kafka.common.utils.Utils;
import org.apache.kafka.coordinator.group.GroupCoordinator;
import org.apache.kafka.metadata.BrokerState;

/**
 * What a test takes for a broker object in its own process: it can be stopped and started, and says where it listens.
 * A test that wants to look inside is aborted, and so counts as skipped, with what it wanted as the reason.
 */
public final class BrokerHandle implements InvocationHandler {
    private final OutsideBrokers brokers;
    private final OutsideBrokers.Broker broker;
    private final KafkaConfig config;

    private BrokerHandle(OutsideBrokers brokers, OutsideBrokers.Broker broker, KafkaConfig config) {
        this.brokers = brokers;
        this.broker = broker;
        this.config = config;
    }

    /** With a configuration that is made up of the settings it was given. */
    public static KafkaBroker of(OutsideBrokers brokers, OutsideBrokers.Broker broker, Properties settings) {
        return of(brokers, broker, configOf(broker, settings));
    }

    public static KafkaBroker of(OutsideBrokers brokers, OutsideBrokers.Broker broker, KafkaConfig config) {
        BrokerHandle handle = new BrokerHandle(brokers, broker, config);
        Class<?>[] looks = {KafkaBroker.class};
        return (KafkaBroker) Proxy.newProxyInstance(BrokerHandle.class.getClassLoader(), looks, handle);
    }

    @Override
    public Object invoke(Object proxy, Method method, Object[] arguments) {
        switch (method.getName()) {
            case "shutdown":
                if (brokers.isRunning(broker.id())) {
                    brokers.stop(broker.id());
                }
                return null;
            case "awaitShutdown":
                return null; // stop() has waited
            case "startup":
                if (!brokers.isRunning(broker.id())) {
                    brokers.start(broker.id());
                }
                return null;
            case "isShutdown":
                return !brokers.isRunning(broker.id());
            case "brokerState":
                return brokers.isRunning(broker.id()) ? BrokerState.RUNNING : BrokerState.NOT_RUNNING;
            case "boundPort":
                return broker.port();
            case "clusterId":
                return brokers.clusterId();
            case "config":
                return config;
            case "groupCoordinator":
                return groupCoordinator();
            case "metadataCache":
                return KnownTopics.of(brokers, broker.id());
            case "socketServer":
                return Ports.of(broker.port());
            case "hashCode":
                return broker.id();
            case "equals":
                return proxy == arguments[0];
            case "toString":
                return "broker " + broker.id() + " at " + broker.address();
            default:
                throw NotHere.inside(method.getName());
        }
    }

    /** One that says which partition a group belongs to, and how the topic of groups is made. */
    private GroupCoordinator groupCoordinator() {
        Class<?>[] looks = {GroupCoordinator.class};
        InvocationHandler facts = (proxy, method, arguments) -> switch (method.getName()) {
            case "partitionFor" -> Utils.abs(arguments[0].hashCode())
                % config.groupCoordinatorConfig().offsetsTopicPartitions();
            case "groupMetadataTopicConfigs" -> compacted();
            default -> throw NotHere.inside("groupCoordinator." + method.getName());
        };
        return (GroupCoordinator) Proxy.newProxyInstance(BrokerHandle.class.getClassLoader(), looks, facts);
    }

    private static Properties compacted() {
        Properties settings = new Properties();
        settings.put("cleanup.policy", "compact");
        return settings;
    }

    private static KafkaConfig configOf(OutsideBrokers.Broker broker, Properties settings) {
        Properties all = new Properties();
        all.putAll(settings);
        all.put("node.id", String.valueOf(broker.id()));
        all.put("process.roles", "broker");
        all.put("listeners", "PLAINTEXT://" + broker.address());
        all.put("listener.security.protocol.map", "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT");
        all.put("controller.listener.names", "CONTROLLER");
        all.put("controller.quorum.bootstrap.servers", broker.address());
        all.put("log.dirs", broker.folder());
        return new KafkaConfig(all, false);
    }
}
