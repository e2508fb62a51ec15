"""Access control lists of objects; moto keeps neither documents nor those of named versions.

https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutObjectAcl.html
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from clusterwright_localaws.core.call import Call
from clusterwright_localaws.services.s3.acl_documents import GRANTEE
from clusterwright_localaws.services.s3.object_versions import existing_version

_PERMISSIONS: Final = {
    "GrantFullControl": "FULL_CONTROL",
    "GrantRead": "READ",
    "GrantReadACP": "READ_ACP",
    "GrantWrite": "WRITE",
    "GrantWriteACP": "WRITE_ACP",
}


def put_object_acl(call: Call, bucket: Any) -> Mapping[str, Any]:
    """Set the list of one version of an object, which the request gives in one of three ways.

    Raises
    ------
    AwsError
        InvalidArgument, NoSuchKey, NoSuchVersion, MethodNotAllowed
    """
    from moto.s3 import notifications

    found = existing_version(bucket, call.parameters, "PUT")
    before, after = _granted(found.acl), _acl_of(call.parameters)
    found.set_acl(after)
    if _granted(after) == before:  # nothing is reported
        return {}
    event = notifications.S3NotificationEvent.OBJECT_ACL_UPDATE_EVENT
    notifications.send_event(call.account, event, bucket, found)
    return {}


def _acl_of(request: Mapping[str, Any]) -> Any:
    from moto.s3.models import FakeAcl, FakeGrant, FakeGrantee, get_canned_acl

    if request.get("ACL"):
        return get_canned_acl(request["ACL"])
    grants = []
    for name, permission in _PERMISSIONS.items():
        for text in str(request.get(name) or "").split(","):
            if (read := GRANTEE.fullmatch(text)) is not None:
                one = FakeGrantee(**{"uri" if read[1] == "uri" else "grantee_id": read[2]})
                grants.append(FakeGrant([one], [permission]))
    for given in (request.get("AccessControlPolicy") or {}).get("Grants") or []:
        grantee = given.get("Grantee") or {}
        one = FakeGrantee(grantee_id=grantee.get("ID") or "", uri=grantee.get("URI") or "")
        grants.append(FakeGrant([one], [given["Permission"]]))
    return FakeAcl(grants)


def _granted(acl: Any) -> set[tuple[str, str, str]]:
    return {
        (grantee.id, grantee.uri, permission)
        for grant in (acl.grants if acl is not None else ())
        for grantee in grant.grantees
        for permission in grant.permissions
    }
