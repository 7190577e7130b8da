"""All quotas that there are: tenants' are told only to who asks for them."""

from penstock.access.quotas.describing import ANY
from penstock.access.quotas.entities import TENANT
from penstock.client import Client
from penstock.client.admin.access import QuotaOf
from penstock.errors import InvalidRequest, UnsupportedVersion
from penstock.wire.messages.describe_client_quotas_request import ComponentData


def all_quotas(client: Client) -> dict[tuple[QuotaOf, ...], dict[str, float]]:
    found = client.describe_quotas()
    try:
        return found | client.describe_quotas([ComponentData(TENANT, ANY, None)])
    except (UnsupportedVersion, InvalidRequest):  # an Apache Kafka, which has no tenants
        return found
