"""A broker's services, and how they are made of each other. Nothing here acts yet: `Lifecycle` starts and stops them.

services = build(config, Ports(...))

What a handler may ask for is a field of `Services`, found by its type. A simulation builds the same record over its own
disks, clock and chance.
"""

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass, fields
from typing import Any, get_type_hints

from penstock.access.audit import AuditLog, AuditMetrics, AuditTopic
from penstock.access.authorizer import Authorizer
from penstock.access.entry_feed import follow
from penstock.access.metrics import ACLS, UNREADABLE_ACLS, AuthorizerMetrics
from penstock.access.quotas.client_quotas import ClientQuotas
from penstock.access.secrets_file import SecretsFile
from penstock.access.tokens.tokens import Tokens
from penstock.access.users.accounts import Users
from penstock.broker.acl_changes import AclChanges
from penstock.broker.after_receive import AfterReceive
from penstock.broker.batch_opening import BatchOpener
from penstock.broker.deadlines import Deadlines
from penstock.broker.fetch_sessions import FetchSessions
from penstock.broker.loggers import LOGGER_LEVELS, LoggerLevels
from penstock.broker.logins import Logins
from penstock.broker.metrics import ACTIVE_CONTROLLERS, FETCH_SESSIONS
from penstock.broker.peer_authentication import PeerAuthenticator
from penstock.broker.token_authority import TokenAuthority
from penstock.cluster import (
    BrokerAvailability,
    Cluster,
    ClusterImage,
    Controller,
    EntryKind,
    ProducerIds,
    ReadBarrier,
)
from penstock.coordinators.groups import Groups
from penstock.coordinators.groups.group_lag import GroupLag
from penstock.coordinators.groups.log_ends import LogEnds
from penstock.coordinators.groups.share_service import ShareGroupService
from penstock.coordinators.shares.service import Shares
from penstock.coordinators.shares.share_coordinators import ShareCoordinators
from penstock.coordinators.shares.states import ShareStates
from penstock.coordinators.transactions import Transactions
from penstock.coordinators.transactions.marker_sender import MarkerSender
from penstock.coordinators.transactions.marker_writer import MarkerWriter
from penstock.coordinators.transactions.transaction_coordinators import TransactionCoordinators
from penstock.coordinators.transactions.transaction_gate import CoordinatorGate, TransactionGate
from penstock.delivery.dead_letters.service import DeadLetters
from penstock.delivery.dead_letters.service import expose as expose_dead_letters
from penstock.delivery.dedup.service import Dedup
from penstock.delivery.schedules.retry_groups import RetryGroups
from penstock.delivery.schedules.service import Schedules
from penstock.delivery.shares.group_rules import GroupRules
from penstock.delivery.shares.service import ShareDelivery
from penstock.delivery.shares.share_partitions import SharePartitions
from penstock.delivery.views.views import Views
from penstock.log import Cleaner, Flusher, LogFolder, LogHousekeeping, PartitionLog, Scrubber
from penstock.metrics import MetricsRegistry
from penstock.model import BrokerId, Clock, Dice
from penstock.replication import (
    Fetchers,
    FolderMoves,
    Mending,
    Partitions,
    PeerHandshake,
    Peers,
    ReplicaSessions,
    Throttle,
)
from penstock.replication.bugs import NO_BUGS, ReplicationBugs
from penstock.settings import Config, inter_broker_listener, listeners
from penstock.settings import broker as settings
from penstock.transport import ContextOf, without_tls

Spawn = Callable[[Coroutine[Any, Any, Any]], "asyncio.Task[Any]"]


@dataclass(frozen=True, kw_only=True)
class Ports:
    """What the services stand on."""

    me: BrokerId
    cluster: Cluster
    """Started: its image is there."""
    cluster_id: str
    folders: Sequence[LogFolder]
    flusher: Flusher
    clock: Clock
    dice: Dice
    registry: MetricsRegistry
    spawn: Spawn
    context_of: ContextOf = without_tls
    """For connections to other brokers."""
    peers: Peers | None = None
    """Another way to ask other brokers than over connections of their own, for a simulation."""
    bugs: ReplicationBugs = NO_BUGS
    """Bugs, for a simulation that is to find them."""


@dataclass(frozen=True, kw_only=True)
class Services:
    """All of them. Each has a type of its own, by which handlers ask for it."""

    config: Config
    clock: Clock
    loggers: LoggerLevels

    cluster: Cluster
    image: ClusterImage
    availability: BrokerAvailability
    controller: Controller
    producer_ids: ProducerIds
    read_barrier: ReadBarrier
    authenticator: PeerAuthenticator
    authorizer: Authorizer
    acl_changes: AclChanges
    secrets: SecretsFile
    users: Users
    logins: Logins
    token_authority: TokenAuthority
    audit: AuditLog | None
    """None where no audit log is kept."""
    audit_topic: AuditTopic | None
    quotas: ClientQuotas

    partitions: Partitions
    fetchers: Fetchers
    peers: Peers
    moves: FolderMoves
    mending: Mending
    replica_sessions: ReplicaSessions

    groups: Groups
    group_lag: GroupLag
    transactions: Transactions
    transaction_gate: TransactionGate
    marker_writer: MarkerWriter
    share_groups: ShareGroupService
    shares: Shares
    share_states: ShareStates
    share_delivery: ShareDelivery

    schedules: Schedules
    dedup: Dedup

    fetch_sessions: FetchSessions
    after_receive: AfterReceive
    deadlines: Deadlines
    batch_opener: BatchOpener
    views: Views

    cleaner: Cleaner
    scrubber: Scrubber
    housekeeping: tuple[LogHousekeeping, ...]
    """One a data folder."""

    def by_type(self) -> dict[Any, object]:
        hints = get_type_hints(Services)
        return {hints[field.name]: getattr(self, field.name) for field in fields(self)}


def build(config: Config, ports: Ports) -> Services:
    me, clock, dice, spawn, registry = ports.me, ports.clock, ports.dice, ports.spawn, ports.registry
    cluster, image = ports.cluster, ports.cluster.image
    partitions = Partitions(
        broker_id=me,
        image=image,
        config=config,
        clock=clock,
        folders=ports.folders,
        flusher=ports.flusher,
        registry=registry,
        spawn=spawn,
        in_sync_writes=cluster.in_sync_writes,
        resignations=cluster.in_sync_writes,
        is_cut_off=cluster.is_cut_off,
        bugs=ports.bugs,
    )
    cluster.controller.settled = partitions.logs.settled
    handshake = _handshake(ports)
    fetchers = Fetchers(
        partitions,
        image,
        me=me,
        config=config,
        own_epoch=lambda: cluster.broker_epoch,
        throttle=Throttle.of_follower(me, config, clock),
        spawn=spawn,
        registry=registry,
        authenticate=None if handshake is None else handshake.authenticate_on,
        on_unreachable=cluster.suspect,
        on_silent=cluster.availability.fell_silent,
        context_of=ports.context_of,
    )
    peers = ports.peers or Peers(
        image,
        clock=clock,
        own_epoch=lambda: cluster.broker_epoch,
        handshake=handshake,
        on_unreachable=cluster.suspect,
        context_of=ports.context_of,
    )
    groups = Groups(
        config=config,
        image=image,
        controller=cluster.controller,
        partitions=partitions,
        clock=clock,
        dice=dice,
        spawn=spawn,
        registry=registry,
        stands_alone=cluster.stands_alone,
    )
    writer = MarkerWriter(partitions, groups, config)
    delivery = MarkerSender(
        broker_id=me,
        image=image,
        writer=writer,
        peers=peers,
        spawn=spawn,
        catch_up=cluster.in_sync_writes.catch_up,
    )
    transactions = Transactions(
        config=config,
        image=image,
        controller=cluster.controller,
        partitions=partitions,
        producer_ids=cluster.producer_ids,
        delivery=delivery,
        clock=clock,
        spawn=spawn,
        registry=registry,
        stands_alone=cluster.stands_alone,
    )
    shares = Shares(
        config=config,
        image=image,
        controller=cluster.controller,
        partitions=partitions,
        clock=clock,
        spawn=spawn,
        registry=registry,
        stands_alone=cluster.stands_alone,
    )
    share_states = ShareCoordinators(shares, peers, image, me=me, clock=clock, spawn=spawn, registry=registry)
    ends = LogEnds(partitions, image, peers)
    share_groups = ShareGroupService(groups, share_states, ends, image, spawn=spawn)
    groups.on_states_to_initialize = share_groups.order
    dead_letters = DeadLetters(
        me=me,
        image=image,
        controller=cluster.controller,
        partitions=partitions,
        producer_ids=cluster.producer_ids,
        peers=peers,
        catch_up=cluster.in_sync_writes.catch_up,
        config=config,
        clock=clock,
        spawn=spawn,
        registry=registry,
    )
    authenticator = PeerAuthenticator(
        image, me=me, dice=dice, secret=cluster.secret, peer_listener=inter_broker_listener(config).name
    )
    authorizer = _authorizer(config, ports)
    secrets = SecretsFile(config, stands_alone=cluster.stands_alone)
    users = Users(lambda: image.entries.of(EntryKind.USERS), secrets.keys)
    follow(image, EntryKind.USERS, users.learn)
    tokens = Tokens(lambda: image.entries.of(EntryKind.TOKENS), users)
    loop = asyncio.get_running_loop()
    after_receive, deadlines = AfterReceive(loop), Deadlines(loop)
    replica_sessions = ReplicaSessions(
        partitions,
        image,
        dice,
        afterwards=after_receive,
        deadlines=deadlines,
        throttle=Throttle.of_leader(me, config, clock),
        needs_authentication=lambda: authenticator.tells_brokers_from_strangers,
        on_lost=cluster.suspect,
    )

    def logs() -> list[PartitionLog]:
        return [log for folder in ports.folders for log in folder]

    quotas = ClientQuotas(image, config, clock, registry)
    services = Services(
        config=config,
        clock=clock,
        loggers=LOGGER_LEVELS,
        cluster=cluster,
        image=image,
        availability=cluster.availability,
        controller=cluster.controller,
        producer_ids=cluster.producer_ids,
        read_barrier=ReadBarrier(cluster.in_sync_writes.catch_up, spawn=spawn),
        authenticator=authenticator,
        authorizer=authorizer,
        acl_changes=AclChanges(authorizer, cluster.controller, config),
        secrets=secrets,
        users=users,
        logins=Logins(
            config,
            listeners(config),
            users=users,
            tokens=tokens,
            clock=clock,
            dice=dice,
            registry=registry,
            spawn=spawn,
            peer_listener=None if cluster.stands_alone else inter_broker_listener(config).name,
        ),
        audit=_audit_log(config, ports),
        audit_topic=_audit_topic(config, ports, partitions, peers),
        token_authority=TokenAuthority(tokens, users, cluster.controller, image, me=me, clock=clock, config=config),
        quotas=quotas,
        partitions=partitions,
        fetchers=fetchers,
        peers=peers,
        moves=FolderMoves(
            partitions,
            image,
            folders=ports.folders,
            flusher=ports.flusher,
            config=config,
            clock=clock,
            spawn=spawn,
        ),
        mending=Mending(partitions.due_for_a_look, peers, image, me=me, give_up=partitions.troubled.give_up),
        replica_sessions=replica_sessions,
        groups=groups,
        group_lag=GroupLag(
            groups,
            partitions,
            ends,
            clock,
            series_max=config[settings.PENSTOCK_METRICS_SERIES_MAX],
        ),
        transactions=transactions,
        transaction_gate=CoordinatorGate(TransactionCoordinators(transactions, peers, me=me, spawn=spawn), config),
        marker_writer=writer,
        share_groups=share_groups,
        shares=shares,
        share_states=share_states,
        share_delivery=_share_delivery(config, ports, partitions, share_states, dead_letters),
        dedup=Dedup(partitions, image, config=config, clock=clock, spawn=spawn, registry=registry),
        schedules=Schedules(
            me=me,
            config=config,
            image=image,
            controller=cluster.controller,
            partitions=partitions,
            producer_ids=cluster.producer_ids,
            groups=RetryGroups(image, config),
            peers=peers,
            catch_up=cluster.in_sync_writes.catch_up,
            clock=clock,
            spawn=spawn,
            registry=registry,
        ),
        fetch_sessions=FetchSessions(
            slots_max=config[settings.MAX_INCREMENTAL_FETCH_SESSION_CACHE_SLOTS], clock=clock, dice=dice
        ),
        after_receive=after_receive,
        deadlines=deadlines,
        batch_opener=BatchOpener(registry),
        views=Views(partitions, image, config, registry),
        cleaner=Cleaner(logs, config, clock),
        scrubber=Scrubber(logs, config, clock),
        housekeeping=tuple(LogHousekeeping(folder, ports.flusher, config, clock) for folder in ports.folders),
    )
    if services.audit is not None:
        if services.audit_topic is not None:
            services.audit.on_written = services.audit_topic.offer
        authorizer.observe(services.audit.denied)
        services.logins.observers.append(services.audit.logged_in)
    quotas.tenants.sizes = lambda: ((log.partition.topic, log.size) for log in logs())
    _expose(services, registry, me)
    return services


def _share_delivery(
    config: Config, ports: Ports, partitions: Partitions, states: ShareStates, dead_letters: DeadLetters
) -> ShareDelivery:
    rules = GroupRules(ports.cluster.image, config)
    share_partitions = SharePartitions(
        partitions,
        states,
        rules,
        config=config,
        clock=ports.clock,
        spawn=ports.spawn,
        registry=ports.registry,
        new_archiver=dead_letters.home_of,
    )
    expose_dead_letters(share_partitions, ports.registry)
    sessions_max = config[settings.GROUP_SHARE_MAX_SHARE_SESSIONS]
    return ShareDelivery(share_partitions, rules, sessions_max=sessions_max, registry=ports.registry)


def _authorizer(config: Config, ports: Ports) -> Authorizer:
    authorizer = Authorizer(config, clock=ports.clock, metrics=ports.registry.of(AuthorizerMetrics))
    if authorizer.is_on:
        follow(ports.cluster.image, EntryKind.ACLS, authorizer.learn)
        ports.registry.read(ACLS, lambda: [((), len(authorizer.acls))])
        ports.registry.read(UNREADABLE_ACLS, lambda: [((), len(authorizer.unreadable))])
    return authorizer


def _handshake(ports: Ports) -> PeerHandshake | None:
    """How this broker makes itself known to others; None where there are none."""
    cluster = ports.cluster
    if cluster.secret is None:
        return None
    return PeerHandshake(
        me=ports.me,
        secret=cluster.secret,
        cluster_id=ports.cluster_id,
        own_epoch=lambda: cluster.broker_epoch,
        dice=ports.dice,
    )


def _audit_log(config: Config, ports: Ports) -> AuditLog | None:
    if not config[settings.PENSTOCK_AUDIT_DIR]:
        return None
    return AuditLog(
        config=config,
        image=ports.cluster.image,
        controller=ports.cluster.controller,
        me=ports.me,
        clock=ports.clock,
        metrics=ports.registry.of(AuditMetrics),
    )


def _audit_topic(config: Config, ports: Ports, partitions: Partitions, peers: Peers) -> AuditTopic | None:
    if not config[settings.PENSTOCK_AUDIT_DIR] or not config[settings.PENSTOCK_AUDIT_TOPIC_ENABLE]:
        return None
    return AuditTopic(
        config=config,
        image=ports.cluster.image,
        controller=ports.cluster.controller,
        partitions=partitions,
        peers=peers,
        me=ports.me,
        clock=ports.clock,
        metrics=ports.registry.of(AuditMetrics),
        stands_alone=ports.cluster.stands_alone,
    )


def _expose(services: Services, registry: MetricsRegistry, me: BrokerId) -> None:
    """Metrics that are read when somebody asks for them."""
    services.cluster.expose(registry)
    services.group_lag.expose(registry)
    services.cleaner.expose(registry)
    services.scrubber.expose(registry)
    registry.read(FETCH_SESSIONS, lambda: [((), len(services.fetch_sessions))])
    registry.read(ACTIVE_CONTROLLERS, lambda: [((), services.image.controller_id == me)])
