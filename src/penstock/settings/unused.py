"""Settings that Apache Kafka 4.3 has and Penstock has no use for, or not yet: accepted, so that a Kafka configuration
can be used as it is, and named in a warning, so that nobody believes they act.

Those of them that Kafka lets clients change while it runs (`dynamic_row`) can be changed here too, and are kept and
shown. Settings about security are not among them: to accept one that protects nothing would be worse than to refuse it.
A name that neither Kafka nor Penstock knows is kept as Kafka keeps it, which may have a plug-in that reads it
(`foreign_row`): listed, its value hidden, and named in a warning.
"""

from typing import Any

from penstock.settings.refused import why_refused
from penstock.settings.setting import Scope, Setting, unlisted
from penstock.settings.types import BOOLEAN, DOUBLE, FOREIGN, INT, LIST, LONG, SHORT, STRING, ValueType

_NAMES = frozenset(
    (
        "alter.log.dirs.replication.quota.window.num",
        "alter.log.dirs.replication.quota.window.size.seconds",
        "background.threads",
        "broker.heartbeat.interval.ms",
        "broker.session.timeout.ms",
        "config.providers",
        "controlled.shutdown.enable",
        "controller.performance.always.log.threshold.ms",
        "controller.performance.sample.period.ms",
        "controller.quorum.append.linger.ms",
        "controller.quorum.auto.join.enable",
        "controller.quorum.bootstrap.servers",
        "controller.quorum.election.backoff.max.ms",
        "controller.quorum.election.timeout.ms",
        "controller.quorum.fetch.max.bytes",
        "controller.quorum.fetch.snapshot.max.bytes",
        "controller.quorum.fetch.timeout.ms",
        "controller.quorum.request.timeout.ms",
        "controller.quorum.retry.backoff.ms",
        "controller.quorum.voters",
        "controller.socket.timeout.ms",
        "cordoned.log.dirs",
        "delete.records.purgatory.purge.interval.requests",
        "early.start.listeners",
        "fetch.purgatory.purge.interval.requests",
        "follower.fetch.last.tiered.offset.enable",
        "group.coordinator.append.linger.ms",
        "group.coordinator.background.threads",
        "group.coordinator.cached.buffer.max.bytes",
        "group.coordinator.rebalance.protocols",
        "group.coordinator.threads",
        "group.share.persister.class.name",
        "group.streams.max.size",
        "initial.broker.registration.timeout.ms",
        "internal.metadata.delete.delay.millis",
        "internal.metadata.log.segment.bytes",
        "internal.metadata.max.batch.size.in.bytes",
        "kafka.metrics.polling.interval.secs",
        "kafka.metrics.reporters",
        "log.cleaner.io.buffer.size",
        "log.dir.failure.timeout.ms",
        "log.flush.start.offset.checkpoint.interval.ms",
        "log.initial.task.delay.ms",
        "metadata.log.dir",
        "metadata.log.max.record.bytes.between.snapshots",
        "metadata.log.max.snapshot.interval.ms",
        "metadata.log.segment.bytes",
        "metadata.log.segment.ms",
        "metadata.max.idle.interval.ms",
        "metadata.max.retention.bytes",
        "metadata.max.retention.ms",
        "metric.reporters",
        "metrics.num.samples",
        "metrics.recording.level",
        "metrics.sample.window.ms",
        "num.io.threads",
        "num.network.threads",
        "num.replica.alter.log.dirs.threads",
        "num.replica.fetchers",
        "offsets.load.buffer.size",
        "process.roles",
        "producer.purgatory.purge.interval.requests",
        "queued.max.requests",
        "remote.fetch.max.wait.ms",
        "remote.list.offsets.request.timeout.ms",
        "remote.log.index.file.cache.total.size.bytes",
        "remote.log.index.file.cache.ttl.ms",
        "remote.log.manager.copier.thread.pool.size",
        "remote.log.manager.copy.max.bytes.per.second",
        "remote.log.manager.copy.quota.window.num",
        "remote.log.manager.copy.quota.window.size.seconds",
        "remote.log.manager.expiration.thread.pool.size",
        "remote.log.manager.fetch.max.bytes.per.second",
        "remote.log.manager.fetch.quota.window.num",
        "remote.log.manager.fetch.quota.window.size.seconds",
        "remote.log.manager.follower.thread.pool.size",
        "remote.log.manager.task.interval.ms",
        "remote.log.manager.task.retry.backoff.max.ms",
        "remote.log.manager.task.retry.backoff.ms",
        "remote.log.manager.task.retry.jitter",
        "remote.log.manager.thread.pool.size",
        "remote.log.metadata.custom.metadata.max.bytes",
        "remote.log.metadata.manager.class.name",
        "remote.log.metadata.manager.class.path",
        "remote.log.metadata.manager.impl.prefix",
        "remote.log.metadata.manager.listener.name",
        "remote.log.reader.max.pending.tasks",
        "remote.log.reader.threads",
        "remote.log.storage.manager.class.name",
        "remote.log.storage.manager.class.path",
        "remote.log.storage.manager.impl.prefix",
        "remote.log.storage.system.enable",
        "replica.socket.receive.buffer.bytes",
        "replication.quota.window.num",
        "replication.quota.window.size.seconds",
        "sasl.client.callback.handler.class",
        "sasl.kerberos.kinit.cmd",
        "sasl.kerberos.min.time.before.relogin",
        "sasl.kerberos.principal.to.local.rules",
        "sasl.kerberos.service.name",
        "sasl.kerberos.ticket.renew.jitter",
        "sasl.kerberos.ticket.renew.window.factor",
        "sasl.login.callback.handler.class",
        "sasl.login.class",
        "sasl.login.connect.timeout.ms",
        "sasl.login.read.timeout.ms",
        "sasl.login.refresh.buffer.seconds",
        "sasl.login.refresh.min.period.seconds",
        "sasl.login.refresh.window.factor",
        "sasl.login.refresh.window.jitter",
        "sasl.login.retry.backoff.max.ms",
        "sasl.login.retry.backoff.ms",
        "sasl.mechanism.controller.protocol",
        "sasl.mechanism.inter.broker.protocol",
        "sasl.oauthbearer.assertion.algorithm",
        "sasl.oauthbearer.assertion.claim.aud",
        "sasl.oauthbearer.assertion.claim.exp.seconds",
        "sasl.oauthbearer.assertion.claim.iss",
        "sasl.oauthbearer.assertion.claim.jti.include",
        "sasl.oauthbearer.assertion.claim.nbf.seconds",
        "sasl.oauthbearer.assertion.claim.sub",
        "sasl.oauthbearer.assertion.file",
        "sasl.oauthbearer.assertion.private.key.file",
        "sasl.oauthbearer.assertion.private.key.passphrase",
        "sasl.oauthbearer.assertion.template.file",
        "sasl.oauthbearer.client.credentials.client.id",
        "sasl.oauthbearer.client.credentials.client.secret",
        "sasl.oauthbearer.jwt.retriever.class",
        "sasl.oauthbearer.scope",
        "sasl.oauthbearer.token.endpoint.url",
        "server.max.startup.time.ms",
        "share.coordinator.append.linger.ms",
        "share.coordinator.cached.buffer.max.bytes",
        "share.coordinator.load.buffer.size",
        "share.coordinator.threads",
        "share.fetch.purgatory.purge.interval.requests",
        "socket.connection.setup.timeout.max.ms",
        "socket.connection.setup.timeout.ms",
        "telemetry.max.bytes",
        "transaction.partition.verification.enable",
        "transaction.state.log.load.buffer.size",
        "transaction.two.phase.commit.enable",
        "unclean.leader.election.interval.ms",
        "unstable.api.versions.enable",
        "unstable.feature.versions.enable",
    )
)

# Settings of one listener, of pluggable parts, and of parts Kafka had until version 4.
_PREFIXES = (
    "listener.name.",
    "rlmm.config.",
    "rsm.config.",
    "config.providers.",
    "zookeeper.",
    "confluent.",
    "metric.reporter.",
)
_FORMER = frozenset(
    (
        "log.message.format.version",
        "inter.broker.protocol.version",
        "log.message.downconversion.enable",
        "log.message.timestamp.difference.max.ms",
        "controlled.shutdown.max.retries",
        "leader.imbalance.per.broker.percentage",
        "controlled.shutdown.retry.backoff.ms",
        "control.plane.listener.name",
        "reserved.broker.max.id",
        "broker.id.generation.enable",
        "delegation.token.master.key",
        "offsets.commit.required.acks",
        "replica.socket.receive.buffer.bytes",
        "password.encoder.secret",
    )
)


_DYNAMIC: dict[str, ValueType[Any]] = {
    "background.threads": INT,
    "follower.fetch.last.tiered.offset.enable": BOOLEAN,
    "group.coordinator.cached.buffer.max.bytes": INT,
    "log.cleaner.io.buffer.size": INT,
    "num.io.threads": INT,
    "num.network.threads": INT,
    "num.replica.fetchers": INT,
    "remote.fetch.max.wait.ms": INT,
    "remote.list.offsets.request.timeout.ms": LONG,
    "remote.log.index.file.cache.total.size.bytes": LONG,
    "remote.log.manager.copier.thread.pool.size": INT,
    "remote.log.manager.copy.max.bytes.per.second": LONG,
    "remote.log.manager.expiration.thread.pool.size": INT,
    "remote.log.manager.fetch.max.bytes.per.second": LONG,
    "remote.log.manager.follower.thread.pool.size": INT,
    "remote.log.reader.threads": INT,
    "sasl.kerberos.kinit.cmd": STRING,
    "sasl.kerberos.min.time.before.relogin": LONG,
    "sasl.kerberos.principal.to.local.rules": LIST,
    "sasl.kerberos.service.name": STRING,
    "sasl.kerberos.ticket.renew.jitter": DOUBLE,
    "sasl.kerberos.ticket.renew.window.factor": DOUBLE,
    "sasl.login.refresh.buffer.seconds": SHORT,
    "sasl.login.refresh.min.period.seconds": SHORT,
    "sasl.login.refresh.window.factor": DOUBLE,
    "sasl.login.refresh.window.jitter": DOUBLE,
    "share.coordinator.cached.buffer.max.bytes": INT,
    "transaction.partition.verification.enable": BOOLEAN,
}
_ROWS: dict[str, Setting[Any]] = {
    name: unlisted(name, Scope.BROKER, type_, doc="A setting of Kafka's, kept and shown; it has no effect here.")
    for name, type_ in _DYNAMIC.items()
}


def dynamic_row(name: str) -> Setting[Any] | None:
    """The row of a setting that has no effect here and may be changed while brokers run; None for any other."""
    return _ROWS.get(name)


def foreign_row(name: str) -> Setting[Any] | None:
    """The row of a name that nobody knows; None for a setting of Kafka's that has no use here."""
    return None if is_unused(name) or why_refused(name) else unlisted(name, Scope.BROKER, FOREIGN, doc="", live=False)


def is_unused(name: str) -> bool:
    return name in _NAMES or name in _FORMER or name.startswith(_PREFIXES)


def unused_names() -> frozenset[str]:
    return _NAMES
