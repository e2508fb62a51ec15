"""Access control lists that S3 cannot read: grantees in headers and in documents.

https://docs.aws.amazon.com/AmazonS3/latest/userguide/acl-overview.html
Errors and their order recorded on AWS: docs/reference/probes.md, source `localstack`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from clusterwright_localaws.core.errors import AwsError
from clusterwright_localaws.services.s3.refusals import MALFORMED

# One of a header's list: its kind and its value.
GRANTEE: Final = re.compile(r'\s*([^=,]+)="?([^"]+)"?\s*')
_GROUPS: Final = frozenset(
    f"http://acs.amazonaws.com/groups/{name}"
    for name in ("global/AllUsers", "global/AuthenticatedUsers", "s3/LogDelivery")
)
_KINDS: Final = frozenset({"id", "uri", "emailAddress"})
# Canonical ids of users; moto's own have half of the length.
_ID: Final = re.compile(r"[0-9a-f]{32}(?:[0-9a-f]{32})?")


def check_grantees(member: str, text: str) -> None:
    """Check the grantees of a header, `type=value, type=value`.

    Parameters
    ----------
    member:
        The member of the request, such as `GrantRead`.

    Raises
    ------
    AwsError
        InvalidArgument
    """
    found = [GRANTEE.fullmatch(grant) for grant in text.split(",")]
    read = [grant for grant in found if grant is not None and grant[1] in _KINDS]
    if len(read) < len(found):
        header = re.sub("(?<=[a-z])(?=[A-Z])", "-", member).lower()
        raise _invalid("Argument format not recognized", f"x-amz-{header}", text)
    for grant in read:
        _check_value(grant[1], grant[2], {"id": "id", "uri": "uri"})


def check_document(request: Mapping[str, Any]) -> None:
    """Check the list in the body of a request, if it has one.

    Raises
    ------
    AwsError
        MalformedACLError, InvalidArgument, UnexpectedContent
    """
    given = request.get("AccessControlPolicy")
    if given is None:
        return
    if request.get("ACL"):
        raise AwsError("UnexpectedContent", "This request does not support content", 400)
    owner = given.get("Owner") or {}
    if not owner.get("ID") or "Grants" not in given:
        raise AwsError("MalformedACLError", MALFORMED, 400)
    names = {"id": "CanonicalUser/ID", "uri": "Group/URI"}
    _check_value("id", owner["ID"], names)
    for grant in given["Grants"] or []:
        grantee = grant.get("Grantee") or {}
        for kind, member in (("id", "ID"), ("uri", "URI")):
            if grantee.get(member):
                _check_value(kind, grantee[member], names)


def _check_value(kind: str, value: str, names: Mapping[str, str]) -> None:
    if kind == "uri" and value not in _GROUPS:
        raise _invalid("Invalid group uri", names[kind], value)
    if kind == "id" and not _ID.fullmatch(value):
        raise _invalid("Invalid id", names[kind], value)


def _invalid(message: str, name: str, value: str) -> AwsError:
    return AwsError("InvalidArgument", message, 400, ArgumentName=name, ArgumentValue=value)
