// SPDX-License-Identifier: Apache-2.0
package penstock.suites;

import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import kafka.raft.KafkaRaftManager;
import kafka.server.ControllerServer;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.controller.Controller;
import org.apache.kafka.controller.ResultOrError;
import org.apache.kafka.raft.LogOffsetMetadata;
import org.apache.kafka.raft.RaftLog;

/**
 * What a test takes for the KRaft controller. There is none: any broker takes what a test sends there, topics' ids are
 * known to all, and where a test waits until brokers have what the controller has, they get to the same metadata.
 */
public final class ControllerHandle {
    private ControllerHandle() {
    }

    public static ControllerServer of(OutsideBrokers brokers) {
        return Looks.of(ControllerServer.class, "controllerServer", Map.of(
            "socketServer", asked -> Looks.listening(brokers.oneThatRuns().port()),
            "controller", asked -> topicIds(brokers),
            "raftManager", asked -> {
                brokers.settle();
                return nothingToWaitFor();
            }));
    }

    private static Controller topicIds(OutsideBrokers brokers) {
        return Looks.of(Controller.class, "controller", Map.of(
            "findAllTopicIds", asked -> CompletableFuture.completedFuture(brokers.topicIds()),
            "findTopicIds", asked -> {
                Map<String, Uuid> ids = brokers.topicIds();
                Map<Object, ResultOrError<Uuid>> found = new HashMap<>();
                ((Collection<?>) asked[1]).forEach(name -> found.put(name, ids.containsKey(name)
                    ? ResultOrError.of(ids.get(name))
                    : new ResultOrError<>(Errors.UNKNOWN_TOPIC_OR_PARTITION, null)));
                return CompletableFuture.completedFuture(found);
            }));
    }

    private static KafkaRaftManager<?> nothingToWaitFor() {
        RaftLog log = Looks.of(RaftLog.class, "raftLog", Map.of("endOffset", asked -> new LogOffsetMetadata(0)));
        return Looks.of(KafkaRaftManager.class, "raftManager", Map.of("raftLog", asked -> log));
    }
}
