"""Broker settings about logging in: which ways there are, what strangers may cost, where secrets are.

Those that begin with `sasl.`, and connections.max.reauth.ms, may be given to one listener alone:
`listener.name.<name>.sasl.enabled.mechanisms`.
"""

from penstock.settings.checks import at_least, between, each_of
from penstock.settings.setting import Importance, Scope, setting
from penstock.settings.types import BOOLEAN, INT, LIST, LONG, PASSWORD, STRING, days, hours, minutes, seconds

_BROKER = Scope.BROKER
_LOW = Importance.LOW

SASL_ENABLED_MECHANISMS = setting(
    "sasl.enabled.mechanisms", _BROKER, LIST, default=("SCRAM-SHA-512", "SCRAM-SHA-256"),
    check=each_of("SCRAM-SHA-512", "SCRAM-SHA-256", "PLAIN", "OAUTHBEARER"),
    doc="How clients may log in on listeners with SASL. Users are kept by the cluster: `penstock user add`, or "
    "AlterUserScramCredentials. PLAIN takes the same users, OAUTHBEARER the tokens of an issuer. GSSAPI is not spoken "
    "(Kafka's default is GSSAPI).",
)  # fmt: skip
SASL_SERVER_MAX_RECEIVE_SIZE = setting(
    "sasl.server.max.receive.size", _BROKER, INT, default=524_288, check=at_least(1024),
    doc="Bytes of a request before it is known who asks. A larger one ends the connection.",
)  # fmt: skip
CONNECTION_FAILED_AUTHENTICATION_DELAY_MS = setting(
    "connection.failed.authentication.delay.ms", _BROKER, INT, default=100, check=between(0, 60_000),
    doc="How long the answer to a failed login waits; then its connection is closed.", importance=_LOW,
)  # fmt: skip
CONNECTIONS_MAX_REAUTH_MS = setting(
    "connections.max.reauth.ms", _BROKER, LONG, default=0, check=at_least(0),
    doc="How long a login lasts. A client that does not log in again by then, on the same connection and as the same "
    "user, is cut off at its next request (KIP-368). 0: for as long as its connection, unless what it was proved by "
    "ends.",
)  # fmt: skip
PENSTOCK_SECRETS_KEY_FILE = setting(
    "penstock.secrets.key.file", _BROKER, STRING, default=None,
    doc="File with the keys under which secrets in the metadata store are sealed, 32 bytes in base64 a line "
    "(`openssl rand -base64 32`). The first seals, all of them open. Nobody else may read it. All brokers of a cluster "
    "have the same. A broker that stands alone makes one in its first data folder if it is not set.",
)  # fmt: skip
PENSTOCK_BOOTSTRAP_USERS_FILE = setting(
    "penstock.bootstrap.users.file", _BROKER, STRING, default=None,
    doc="File with the first users, who are added at the start if the cluster has no user at all. It holds SCRAM keys, "
    "never passwords.",
)  # fmt: skip
PENSTOCK_LOGINS_IN_FLIGHT_MAX = setting(
    "penstock.logins.in.flight.max", _BROKER, INT, default=1000, check=at_least(1), live=True,
    doc="Connections on listeners with SASL that have not logged in. At the limit the oldest of them is closed.",
)  # fmt: skip
PENSTOCK_LOGIN_TIMEOUT_MS = setting(
    "penstock.login.timeout.ms", _BROKER, INT, default=seconds(30), check=at_least(1), live=True,
    doc="A connection on a listener with SASL that has not logged in by then is closed.",
)  # fmt: skip
PENSTOCK_LOGIN_CHECKS_MAX = setting(
    "penstock.login.checks.max", _BROKER, INT, default=2, check=between(1, 64),
    doc="Passwords of PLAIN that are checked at once, each in a thread. Further ones wait their turn.",
)  # fmt: skip
PENSTOCK_LOGIN_FAILURES_MAX = setting(
    "penstock.login.failures.max", _BROKER, INT, default=10, check=at_least(1), live=True,
    doc="Failed logins in a row of one user name from one address, after which these fail even with the right "
    "password, until penstock.login.lockout.ms has passed. Other names and addresses are not affected.",
)  # fmt: skip
PENSTOCK_LOGIN_LOCKOUT_MS = setting(
    "penstock.login.lockout.ms", _BROKER, INT, default=minutes(1), check=at_least(0), live=True,
    doc="How long a user name is locked out from an address that failed too often. Failures that are further apart do "
    "not add up. 0: nobody is locked out.",
)  # fmt: skip
DELEGATION_TOKEN_SECRET_KEY = setting(
    "delegation.token.secret.key", _BROKER, PASSWORD, default=None,
    doc="What tokens' HMACs are made from, as in Kafka: the same on all brokers. If it is not set they are made by "
    "chance, which is as well. Either way they are sealed under penstock.secrets.key.file.",
)  # fmt: skip
DELEGATION_TOKEN_MAX_LIFETIME_MS = setting(
    "delegation.token.max.lifetime.ms", _BROKER, LONG, default=days(7), check=at_least(1),
    doc="How long a delegation token may last at most, however often it is renewed.",
)  # fmt: skip
DELEGATION_TOKEN_EXPIRY_TIME_MS = setting(
    "delegation.token.expiry.time.ms", _BROKER, LONG, default=days(1), check=at_least(1),
    doc="How long a delegation token lasts unless it is renewed.",
)  # fmt: skip
DELEGATION_TOKEN_EXPIRY_CHECK_INTERVAL_MS = setting(
    "delegation.token.expiry.check.interval.ms", _BROKER, LONG, default=hours(1), check=at_least(1), importance=_LOW,
    doc="How often the controller takes away tokens that are over. Nobody logs in by one meanwhile.",
)  # fmt: skip
PENSTOCK_DELEGATION_TOKENS_MAX = setting(
    "penstock.delegation.tokens.max", _BROKER, INT, default=10_000, check=at_least(1), live=True,
    doc="Delegation tokens of the cluster. At the limit another is refused: POLICY_VIOLATION.",
)  # fmt: skip
PENSTOCK_DELEGATION_TOKENS_OF_ONE_MAX = setting(
    "penstock.delegation.tokens.of.one.max", _BROKER, INT, default=1_000, check=at_least(1), live=True,
    doc="Delegation tokens that one user may have made, so that nobody uses up the cluster's. At the limit another is "
    "refused: POLICY_VIOLATION.",
)  # fmt: skip

# OAUTHBEARER

PENSTOCK_OIDC_ISSUER = setting(
    "penstock.oidc.issuer", _BROKER, STRING, default=None,
    doc="URL of an OpenID Connect issuer, such as https://login.example/realms/queue. Where its keys are is read from "
    "its /.well-known/openid-configuration, and only its tokens are taken.",
)  # fmt: skip
SASL_OAUTHBEARER_JWKS_ENDPOINT_URL = setting(
    "sasl.oauthbearer.jwks.endpoint.url", _BROKER, STRING, default=None,
    doc="Where the issuer's keys are, if penstock.oidc.issuer does not tell. It takes https unless it is this machine.",
)  # fmt: skip
SASL_OAUTHBEARER_JWKS_ENDPOINT_REFRESH_MS = setting(
    "sasl.oauthbearer.jwks.endpoint.refresh.ms", _BROKER, LONG, default=hours(1), check=at_least(1), importance=_LOW,
    doc="How old the issuer's keys may be before they are fetched anew. A token signed by a key that is not known has "
    "them fetched sooner.",
)  # fmt: skip
SASL_OAUTHBEARER_JWKS_ENDPOINT_RETRY_BACKOFF_MS = setting(
    "sasl.oauthbearer.jwks.endpoint.retry.backoff.ms", _BROKER, LONG, default=100, check=at_least(1), importance=_LOW,
    doc="How long the broker waits after the keys could not be fetched; doubled each time.",
)  # fmt: skip
SASL_OAUTHBEARER_JWKS_ENDPOINT_RETRY_BACKOFF_MAX_MS = setting(
    "sasl.oauthbearer.jwks.endpoint.retry.backoff.max.ms", _BROKER, LONG, default=seconds(10), check=at_least(1),
    doc="The longest of those waits.", importance=_LOW,
)  # fmt: skip
PENSTOCK_OIDC_TIMEOUT_MS = setting(
    "penstock.oidc.timeout.ms", _BROKER, INT, default=seconds(5), check=at_least(1),
    doc="How long the issuer may take for one answer. Logins that need its keys wait meanwhile.",
)  # fmt: skip
PENSTOCK_OIDC_CA_FILE = setting(
    "penstock.oidc.ca.file", _BROKER, STRING, default=None,
    doc="PEM file with the authorities that the issuer's certificate is believed by; the system's if it is not set.",
)  # fmt: skip
SASL_OAUTHBEARER_EXPECTED_ISSUER = setting(
    "sasl.oauthbearer.expected.issuer", _BROKER, STRING, default=None,
    doc="The iss that tokens must have; by default penstock.oidc.issuer.",
)  # fmt: skip
SASL_OAUTHBEARER_EXPECTED_AUDIENCE = setting(
    "sasl.oauthbearer.expected.audience", _BROKER, LIST, default=(),
    doc="Tokens must be made for one of these (aud): a token that a user gave to another service is not good here.",
)  # fmt: skip
PENSTOCK_OIDC_ALLOW_UNVERIFIED_ISSUER = setting(
    "penstock.oidc.allow.unverified.issuer", _BROKER, BOOLEAN, default=False,
    doc="Whether tokens of any issuer are taken that one of the keys has signed.",
)  # fmt: skip
PENSTOCK_OIDC_ALLOW_UNVERIFIED_AUDIENCE = setting(
    "penstock.oidc.allow.unverified.audience", _BROKER, BOOLEAN, default=False,
    doc="Whether tokens are taken that were made for any service.",
)  # fmt: skip
SASL_OAUTHBEARER_CLOCK_SKEW_SECONDS = setting(
    "sasl.oauthbearer.clock.skew.seconds", _BROKER, INT, default=30, check=between(0, 3600), importance=_LOW,
    doc="How far the issuer's clock may be from the broker's.",
)  # fmt: skip
SASL_OAUTHBEARER_SUB_CLAIM_NAME = setting(
    "sasl.oauthbearer.sub.claim.name", _BROKER, STRING, default="sub", importance=_LOW,
    doc="The claim that has the user's name. Keycloak's sub is a number: preferred_username, or azp for services, is "
    "easier to write rules for.",
)  # fmt: skip
SASL_OAUTHBEARER_SCOPE_CLAIM_NAME = setting(
    "sasl.oauthbearer.scope.claim.name", _BROKER, STRING, default="scope", importance=_LOW,
    doc="The claim that has the token's scopes.",
)  # fmt: skip
PENSTOCK_OIDC_SCOPES_REQUIRED = setting(
    "penstock.oidc.scopes.required", _BROKER, LIST, default=(),
    doc="Scopes that a token must have, all of them.",
)  # fmt: skip
PENSTOCK_OIDC_GROUPS_CLAIM = setting(
    "penstock.oidc.groups.claim", _BROKER, STRING, default=None,
    doc="The claim that has the groups of the user. Rules for Group:name act for its members.",
)  # fmt: skip
