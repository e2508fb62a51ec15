"""moto answers the first grantee and permission of each grant, and objects inherit ACLs.

https://docs.aws.amazon.com/AmazonS3/latest/userguide/acl-overview.html
Recorded on AWS: docs/reference/probes.md, source `localstack`.
"""

from __future__ import annotations

from typing import Any, Final

from clusterwright_localaws.core.runtime import runtime

MOTO_VERSION = "5.2.5"
DESCRIPTION = (
    "S3: access control lists have a grant for each grantee and permission, and an object "
    "without a list of its own is its owner's only, whatever the list of the bucket"
)
_NEW_OBJECTS: Final = frozenset({"PutObject", "CopyObject", "CreateMultipartUpload"})


def apply() -> None:
    from moto.s3.models import FakeAcl, FakeGrant, get_canned_acl
    from moto.s3.responses import S3Response

    to_dict = S3Response._acl_to_dict
    from_headers = S3Response._acl_from_headers

    def _acl_to_dict(acl: Any) -> Any:
        if not runtime().active:
            return to_dict(acl)
        single = [
            FakeGrant([grantee], [permission])
            for grant in acl.grants
            for grantee in grant.grantees
            for permission in grant.permissions
        ]
        return to_dict(FakeAcl(single))

    def _acl_from_headers(self: Any, headers: Any) -> Any:
        found = from_headers(self, headers)
        if found is None and runtime().active and self.data.get("Action") in _NEW_OBJECTS:
            return get_canned_acl("private")
        return found

    S3Response._acl_to_dict = staticmethod(_acl_to_dict)  # type: ignore[method-assign]
    S3Response._acl_from_headers = _acl_from_headers  # type: ignore[method-assign]
