"""ApiVersions: which APIs and versions this broker answers, and the cluster's features.

The list is the handler registry itself. v3 flexible, with the client's software name; below v4 a feature whose smallest
version is 0 is left out (KAFKA-17011). An unknown version never comes here: dispatch answers it in version 0 (RULES
37).
"""

import re

from penstock.access.rights import NOTHING
from penstock.broker.registry import REGISTRY, RequestContext, answers
from penstock.cluster import ClusterImage
from penstock.errors import InvalidRequest
from penstock.wire.api import ApiKey
from penstock.wire.messages.api_versions_request import ApiVersionsRequest
from penstock.wire.messages.api_versions_response import (
    ApiVersion,
    ApiVersionsResponse,
    FinalizedFeatureKey,
    SupportedFeatureKey,
)

_SOFTWARE = re.compile(r"[a-zA-Z0-9](?:[a-zA-Z0-9\-.]*[a-zA-Z0-9])?")


@answers(ApiKey.API_VERSIONS, versions=(0, 4), requires=NOTHING, audits=NOTHING)
def api_versions(request: ApiVersionsRequest, context: RequestContext, image: ClusterImage) -> ApiVersionsResponse:
    if context.api_version >= 3:
        for text in (request.client_software_name, request.client_software_version):
            if not _SOFTWARE.fullmatch(text):
                raise InvalidRequest(f"{text!r} cannot be a client's software name or version")
    features = image.features
    return ApiVersionsResponse(
        api_keys=[
            ApiVersion(api_key=int(key), min_version=answer.advertised_from, max_version=answer.versions[1])
            for key, answer in sorted(REGISTRY.items())
        ],
        supported_features=[
            SupportedFeatureKey(name=name, min_version=oldest, max_version=newest)
            for name, (oldest, newest) in sorted(features.supported.items())
            if context.api_version >= 4 or oldest > 0
        ],
        finalized_features_epoch=features.epoch,
        finalized_features=[
            FinalizedFeatureKey(name=name, min_version_level=level, max_version_level=level)
            for name, level in sorted(features.finalized.items())
        ],
    )
