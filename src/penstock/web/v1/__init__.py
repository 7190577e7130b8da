"""Penstock's own REST API: records, topics, groups and leases. Stateless but for leases, so it may stand behind a
balancer.
"""

from litestar import Router

from penstock.web.v1.groups import Groups
from penstock.web.v1.leases import LeaseRoutes
from penstock.web.v1.records import Records
from penstock.web.v1.streams import Streams
from penstock.web.v1.topics import Topics

v1 = Router("/v1", route_handlers=[Topics, Records, Streams, Groups, LeaseRoutes], tags=["Penstock v1"])
