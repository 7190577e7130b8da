// SPDX-License-Identifier: Apache-2.0
package org.apache.kafka.common.test.junit;

import java.util.List;
import org.apache.kafka.common.security.auth.SecurityProtocol;
import org.apache.kafka.common.test.api.ClusterConfig;
import org.apache.kafka.common.test.api.Type;
import org.junit.jupiter.api.extension.AfterTestExecutionCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.Extension;
import org.junit.jupiter.api.extension.TestTemplateInvocationContext;
import penstock.suites.OutsideInstance;

/**
 * Stands in for Kafka's class of this name, which starts a KRaft cluster in this process: the test gets brokers that the
 * runner starts.
 */
public class RaftClusterInvocationContext implements TestTemplateInvocationContext {
    private final String name;
    private final ClusterConfig config;
    private final boolean isCombined;

    public RaftClusterInvocationContext(String name, ClusterConfig config, boolean isCombined) {
        this.name = name;
        this.config = config;
        this.isCombined = isCombined;
    }

    @Override
    public String getDisplayName(int invocation) {
        return name + " [" + invocation + "] " + String.join(", ", config.displayTags());
    }

    @Override
    public List<Extension> getAdditionalExtensions() {
        OutsideInstance cluster = new OutsideInstance(config);
        ExecutionCondition applies = context -> {
            String reason = whyNot();
            return reason == null ? ConditionEvaluationResult.enabled("")
                : ConditionEvaluationResult.disabled(reason);
        };
        BeforeEachCallback start = context -> {
            if (config.isAutoStart()) {
                cluster.start();
            }
        };
        AfterTestExecutionCallback stop = context -> cluster.stop();
        return List.of(applies, start, stop, new ClusterInstanceParameterResolver(cluster));
    }

    private String whyNot() {
        if (isCombined && config.clusterTypes().contains(Type.KRAFT)) {
            return "the same test with separate controllers runs";
        }
        if (config.brokerSecurityProtocol() != SecurityProtocol.PLAINTEXT) {
            return "wants TLS or logins, which the runner's brokers do not have";
        }
        return null;
    }
}
