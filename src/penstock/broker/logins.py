"""Logging in on this broker: which mechanisms a listener has, and what strangers may cost.

Bounds: so many connections that have not logged in (`penstock.logins.in.flight.max`, the oldest makes room), each for
so long (`penstock.login.timeout.ms`); so many passwords that are checked at once (`penstock.login.checks.max`, further
ones wait, and with each waits its connection, until it closes); failures in a row (`Lockout`).
"""

import asyncio
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any

import structlog

from penstock.access.few_lines import FewLines
from penstock.access.login_event import LoginEvent
from penstock.access.oauth.checker import TokenChecker
from penstock.access.oauth.exchange import BearerExchange
from penstock.access.oauth.key_source import Spawn
from penstock.access.sasl.keys import HASHES
from penstock.access.sasl.lockout import Lockout
from penstock.access.sasl.machine import Former, LoginMachine, PeerMechanism
from penstock.access.sasl.plain import PlainExchange
from penstock.access.sasl.scram import Account, ScramExchange
from penstock.access.sasl.steps import OAUTHBEARER, PLAIN, Check, Exchange, Proved, TokenCheck
from penstock.access.tokens.tokens import Tokens
from penstock.access.users.accounts import Users
from penstock.broker.connection import Connection, FrameHandler, Limits
from penstock.broker.login_gate import LoginGate
from penstock.broker.metrics import LOGINS_UNDER_WAY, LoginMetrics
from penstock.broker.password_checks import PasswordChecks
from penstock.metrics import MetricsRegistry
from penstock.model import Clock, Dice
from penstock.replication.proof import MECHANISM as OF_BROKERS
from penstock.settings import Config, Listener
from penstock.settings import broker as settings
from penstock.settings.per_listener import ListenerConfig

NONCE_BYTES = 18
_log = structlog.get_logger(__name__)

Mechanisms = Mapping[str, Callable[[], Exchange]]


class Logins:
    def __init__(
        self,
        config: Config,
        listeners: Iterable[Listener],
        *,
        users: Users,
        tokens: Tokens,
        clock: Clock,
        dice: Dice,
        registry: MetricsRegistry,
        spawn: Spawn,
        peer_listener: str | None,
    ) -> None:
        """`peer_listener`: where other brokers come in, if there are any."""
        self._config = config
        self._users = users
        self._tokens = tokens
        self._clock = clock
        self._dice = dice
        self._peer_listener = peer_listener
        self._guarded = {each.name: ListenerConfig(config, each.name) for each in listeners if each.has_sasl}
        self._limits = Limits(
            frame_size_max=config[settings.SASL_SERVER_MAX_RECEIVE_SIZE], in_flight_max=1, is_for_strangers=True
        )
        self._token_checkers = {
            name: TokenChecker.of(own, clock=clock, spawn=spawn)
            for name, own in self._guarded.items()
            if OAUTHBEARER in own.get(settings.SASL_ENABLED_MECHANISMS)
        }
        self._lockout = Lockout()
        self._lines = FewLines(clock)
        self._under_way: dict[Connection, asyncio.TimerHandle] = {}
        self._checks = PasswordChecks(config[settings.PENSTOCK_LOGIN_CHECKS_MAX])
        self._metrics = registry.of(LoginMetrics)
        self.observers: list[Callable[[LoginEvent], None]] = []
        """Each is told of every login and of every failure, at once and on the loop. It must not wait."""
        registry.read(LOGINS_UNDER_WAY, lambda: [((), len(self._under_way))])

    def guards(self, listener: str) -> bool:
        return listener in self._guarded

    def begin(self, connection: Connection, handler: FrameHandler, limits: Limits) -> None:
        """Nothing but a login comes through until there was one; then to `handler`."""
        gate = LoginGate(self, connection, handler, limits)
        connection.hand_to(gate, self._limits)

    def close(self) -> None:
        self._checks.close()

    # For gates --------------------------------------------------------------------------------------------------

    def machine(self, connection: Connection, former: Former | None) -> LoginMachine:
        own = self._guarded[connection.listener]
        takes_peers = connection.listener == self._peer_listener and former is None
        return LoginMachine(
            self._mechanisms(own),
            lifetime_ms=partial(self._lifetime_ms, own),
            is_locked_out=partial(self._is_locked_out, connection.caller.subject.host),
            peers=PeerMechanism(OF_BROKERS) if takes_peers else None,
            former=former,
        )

    def _mechanisms(self, own: ListenerConfig) -> Mapping[str, Callable[[], Exchange]]:
        made: dict[str, Callable[[], Exchange]] = {
            PLAIN: lambda: PlainExchange(self._users.account_for_password),
            OAUTHBEARER: BearerExchange,
            **{
                mechanism: partial(
                    ScramExchange, mechanism, account=partial(self._account, mechanism), nonce=self._nonce
                )
                for mechanism in HASHES
            },
        }
        return {name: made[name] for name in own.get(settings.SASL_ENABLED_MECHANISMS)}

    def _account(self, mechanism: str, name: str, is_token: bool) -> Account:
        if is_token:
            return self._tokens.account(name, mechanism, now_ms=self._clock.now())
        return self._users.account(name, mechanism)

    def _nonce(self) -> str:
        return self._dice.random_bytes(NONCE_BYTES).hex()

    def _lifetime_ms(self, own: ListenerConfig, proved: Proved) -> int:
        ends = [own.get(settings.CONNECTIONS_MAX_REAUTH_MS)] if own.get(settings.CONNECTIONS_MAX_REAUTH_MS) else []
        if proved.ends_at_ms is not None:
            ends.append(max(proved.ends_at_ms - self._clock.now(), 1))
        return min(ends, default=0)

    async def find_out(self, connection: Connection, check: Check) -> Proved | str:
        if isinstance(check, TokenCheck):
            return await self._token_checkers[connection.listener].check(check)
        fits = await self._checks.fits(connection, check)
        return check.proved if fits else "the password is wrong, or there is no such user"

    def delay_s(self) -> float:
        return self._config[settings.CONNECTION_FAILED_AUTHENTICATION_DELAY_MS] / 1000

    def entered(self, connection: Connection) -> None:
        if connection not in self._under_way and (
            len(self._under_way) >= self._config[settings.PENSTOCK_LOGINS_IN_FLIGHT_MAX]
        ):
            oldest = next(iter(self._under_way))
            if (besides := self._lines.next()) is not None:
                limit = settings.PENSTOCK_LOGINS_IN_FLIGHT_MAX.name
                _log.warning("connection turned away", peer=oldest.peer, limit=limit, **besides)
            oldest.close("too many logins are under way")
        self.left(connection)
        after_s = self._config[settings.PENSTOCK_LOGIN_TIMEOUT_MS] / 1000
        self._under_way[connection] = asyncio.get_running_loop().call_later(
            after_s, connection.close, "not logged in in time"
        )

    def left(self, connection: Connection) -> None:
        timer = self._under_way.pop(connection, None)
        if timer is not None:
            timer.cancel()
        self._checks.leave(connection)

    # What becomes of them ---------------------------------------------------------------------------------------

    def tell(self, event: LoginEvent) -> None:
        user = event.principal.name
        if event.is_success:
            self._metrics.succeeded += 1
            if not event.by_token:  # which says nothing of who guesses its owner's password
                self._lockout.succeeded(user, event.host)
        else:
            self._metrics.failed += 1
            if user:
                self._lockout.failed(user, event.host, **self._bounds())
            if (besides := self._lines.next()) is not None:
                _log.warning(
                    "login failed", user=user, host=event.host, listener=event.listener, mechanism=event.mechanism,
                    reason=event.reason, **besides,
                )  # fmt: skip
        for observer in self.observers:
            try:
                observer(event)
            except Exception as error:
                _log.error("login not told", exc_info=error)

    def _is_locked_out(self, host: str, user: str) -> bool:
        return self._lockout.is_locked(user, host, **self._bounds())

    def _bounds(self) -> Any:
        return {
            "now_ms": self._clock.monotonic() * 1000,
            "failures_max": self._config[settings.PENSTOCK_LOGIN_FAILURES_MAX],
            "lockout_ms": self._config[settings.PENSTOCK_LOGIN_LOCKOUT_MS],
        }
