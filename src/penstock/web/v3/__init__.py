"""Confluent's REST API, version 3: the paths and shapes that its clients know."""

from litestar import Router
from litestar.di import Provide

from penstock.web.v3.acls import Acls
from penstock.web.v3.clusters import ClusterRoutes
from penstock.web.v3.configs import BrokerConfigs, ClusterConfigs, TopicConfigs
from penstock.web.v3.consumer_groups import ConsumerGroups
from penstock.web.v3.here import provide_here
from penstock.web.v3.records import Records
from penstock.web.v3.topics import Topics

v3 = Router(
    "/v3/clusters",
    route_handlers=[ClusterRoutes, Topics, TopicConfigs, BrokerConfigs, ClusterConfigs, ConsumerGroups, Acls, Records],
    dependencies={"here": Provide(provide_here)},
    tags=["Confluent v3"],
)
