"""UpdateFeatures: raise or lower the finalized level of features, all of them or none.

v0 allows a downgrade by a flag, v1 by kind and can merely validate, v2 has one outcome for all.
"""

from penstock.access.authorizer import Authorizer
from penstock.access.rights import ALTER_CLUSTER, ResourceKind
from penstock.broker.registry import RequestContext, answers
from penstock.cluster import Controller, FeatureUpdate, UpgradeType
from penstock.wire.api import ApiKey
from penstock.wire.messages.update_features_request import FeatureUpdateKey, UpdateFeaturesRequest
from penstock.wire.messages.update_features_response import UpdatableFeatureResult, UpdateFeaturesResponse


@answers(ApiKey.UPDATE_FEATURES, versions=(0, 2), requires=(ALTER_CLUSTER,), audits=(ResourceKind.CLUSTER,))
async def update_features(
    request: UpdateFeaturesRequest, context: RequestContext, controller: Controller, authorizer: Authorizer
) -> UpdateFeaturesResponse:
    authorizer.require(context.caller.subject, ALTER_CLUSTER)
    updates = [_update(update, context.api_version) for update in request.feature_updates]
    await controller.update_features(updates, validate_only=request.validate_only)
    response = UpdateFeaturesResponse(error_message=None)
    if context.api_version < 2:
        features = dict.fromkeys(update.feature for update in updates)
        response.results = [UpdatableFeatureResult(feature=feature, error_message="NONE") for feature in features]
    return response


def _update(update: FeatureUpdateKey, version: int) -> FeatureUpdate:
    if version == 0:
        kind = UpgradeType.SAFE_DOWNGRADE if update.allow_downgrade else UpgradeType.UPGRADE
        return FeatureUpdate(update.feature, update.max_version_level, kind)
    return FeatureUpdate(update.feature, update.max_version_level, update.upgrade_type)
