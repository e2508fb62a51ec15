"""Tests of services.s3.acl_documents."""

from __future__ import annotations

from typing import Any

import pytest

from clusterwright_localaws.core.errors import AwsError
from clusterwright_localaws.services.s3.acl_documents import check_document, check_grantees

OWNER = {"ID": "0" * 64}
GROUPS = "http://acs.amazonaws.com/groups"


def refused(check: Any, *arguments: Any) -> tuple[str, str, Any, Any]:
    with pytest.raises(AwsError) as found:
        check(*arguments)
    members = vars(found.value)
    return (
        found.value.code,
        found.value.message,
        members.get("ArgumentName"),
        members.get("ArgumentValue"),
    )


@pytest.mark.parametrize(
    ("text", "message", "name", "value"),
    [
        (f'uri="{GROUPS}/s3/Fake"', "Invalid group uri", "uri", f"{GROUPS}/s3/Fake"),
        ('id="wrong-id"', "Invalid id", "id", "wrong-id"),
        ('fakekey="1"', "Argument format not recognized", "x-amz-grant-write", 'fakekey="1"'),
    ],
)
def test_headers(text: str, message: str, name: str, value: str) -> None:
    check_grantees("GrantWrite", f'uri="{GROUPS}/s3/LogDelivery", id="{OWNER["ID"]}"')
    assert refused(check_grantees, "GrantWrite", text) == ("InvalidArgument", message, name, value)


def document(**changes: Any) -> dict[str, Any]:
    grant = {"Grantee": {"Type": "Group", "URI": f"{GROUPS}/global/AllUsers"}}
    return {"AccessControlPolicy": {"Owner": OWNER, "Grants": [grant], **changes}}


def test_documents() -> None:
    check_document({})
    check_document(document())
    assert refused(check_document, document(Owner=None))[0] == "MalformedACLError"
    assert refused(check_document, {"AccessControlPolicy": {}})[0] == "MalformedACLError"
    assert refused(check_document, {**document(), "ACL": "private"})[0] == "UnexpectedContent"
    found = refused(check_document, document(Owner={"ID": "wrong-id"}))
    assert found == ("InvalidArgument", "Invalid id", "CanonicalUser/ID", "wrong-id")
    wrong = document(Grants=[{"Grantee": {"Type": "Group", "URI": "none"}}])
    assert refused(check_document, wrong)[2:] == ("Group/URI", "none")
