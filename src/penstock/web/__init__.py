"""The web process: HTTP in front of any Kafka cluster. A client of it on penstock.client, and never part of a broker.

`create_app` makes the application from `WebOptions` and a `Cluster`; `serve` runs it. Whoever adds a face of it (a
console, a registry) brings Litestar routers: see docs/adr/0102-a-web-process-beside-the-broker.md.
"""

from penstock.web.app import create_app
from penstock.web.clients import Clients
from penstock.web.cluster import Cluster
from penstock.web.options import WebOptions
from penstock.web.problems import Problem
from penstock.web.server import serve

__all__ = ["Clients", "Cluster", "Problem", "WebOptions", "create_app", "serve"]
