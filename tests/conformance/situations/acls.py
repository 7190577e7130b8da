"""DescribeAcls, CreateAcls and DeleteAcls where there is no authorizer."""

from __future__ import annotations

from typing import Any

from tests.conformance.table import Body, situation

TOPIC, LITERAL, READ, ALLOW, ANY = 2, 3, 3, 3, 1


def created(**more: Any) -> Body:
    one = {
        "resource_type": TOPIC,
        "resource_name": "orders",
        "resource_pattern_type": LITERAL,
        "principal": "User:anna",
        "host": "*",
        "operation": READ,
        "permission_type": ALLOW,
    }
    return one | more


def filtered(**more: Any) -> Body:
    """A filter, in the names that DescribeAcls and DeleteAcls share."""
    return {
        "resource_type_filter": ANY,
        "resource_name_filter": None,
        "pattern_type_filter": ANY,
        "principal_filter": None,
        "host_filter": None,
        "operation": ANY,
        "permission_type": ANY,
    } | more


SITUATIONS = [
    situation("DescribeAcls", "all there are", filtered()),
    situation("DescribeAcls", "of a topic", filtered(resource_type_filter=TOPIC, resource_name_filter="orders")),
    situation("DescribeAcls", "of a kind that does not exist", filtered(resource_type_filter=0)),
    situation("CreateAcls", "two", {"creations": [created(), created(principal="User:bert")]}),
    situation("CreateAcls", "none", {"creations": []}),
    situation("CreateAcls", "of a kind that does not exist", {"creations": [created(resource_type=0)]}),
    situation("CreateAcls", "of a pattern that matches any", {"creations": [created(resource_pattern_type=ANY)]}),
    situation("CreateAcls", "of nobody", {"creations": [created(principal="")]}),
    situation("DeleteAcls", "by two filters", {"filters": [filtered(), filtered(principal_filter="User:anna")]}),
    situation("DeleteAcls", "none", {"filters": []}),
    situation("DeleteAcls", "of a kind that does not exist", {"filters": [filtered(resource_type_filter=0)]}),
]
