import pytest

from penstock.broker.handlers.create_acls import create_acls
from penstock.broker.handlers.delete_acls import delete_acls
from penstock.broker.handlers.describe_acls import describe_acls
from penstock.errors import SecurityDisabled
from penstock.wire.messages.create_acls_request import AclCreation, CreateAclsRequest
from penstock.wire.messages.delete_acls_request import DeleteAclsFilter, DeleteAclsRequest
from penstock.wire.messages.describe_acls_request import DescribeAclsRequest

NO_AUTHORIZER = (SecurityDisabled.code, "No authorizer is set up on this cluster.")


def test_acls_cannot_be_listed_without_an_authorizer() -> None:
    with pytest.raises(SecurityDisabled):
        describe_acls(DescribeAclsRequest())


def test_every_acl_to_be_made_is_refused_by_itself() -> None:
    response = create_acls(CreateAclsRequest(creations=[AclCreation(), AclCreation()]))
    assert [(one.error_code, one.error_message) for one in response.results] == [NO_AUTHORIZER] * 2


def test_every_filter_of_acls_to_be_deleted_is_refused_by_itself() -> None:
    response = delete_acls(DeleteAclsRequest(filters=[DeleteAclsFilter(), DeleteAclsFilter()]))
    found = [(one.error_code, one.error_message, one.matching_acls) for one in response.filter_results]
    assert found == [(*NO_AUTHORIZER, [])] * 2
