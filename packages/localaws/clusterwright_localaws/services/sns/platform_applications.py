"""Applications of mobile platforms, which moto keeps: what SNS refuses.

https://docs.aws.amazon.com/sns/latest/api/API_CreatePlatformApplication.html. Messages as recorded
on AWS: docs/reference/probes.md, source `localstack`. No platform verifies the credentials.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from clusterwright_localaws.core.call import Call, operation
from clusterwright_localaws.core.errors import ForwardToMoto
from clusterwright_localaws.services.sns.arguments import (
    backend_of,
    invalid,
    not_found,
    parts_of,
)

# The API's documentation names ADM, APNS, APNS_SANDBOX and GCM as values; the others are platforms
# that SNS's guide on mobile notifications names.
_PLATFORMS: Final = frozenset(
    {
        "ADM",
        "APNS",
        "APNS_SANDBOX",
        "APNS_VOIP",
        "APNS_VOIP_SANDBOX",
        "BAIDU",
        "Baidu",
        "FCM",
        "GCM",
        "MACOS",
        "MACOS_SANDBOX",
        "MPNS",
        "WNS",
    }
)
# Has no principal (API_CreatePlatformApplication.html).
_WITHOUT_PRINCIPAL: Final = frozenset({"GCM", "FCM"})
_LONGEST_NAME: Final = 256
_NAME: Final = re.compile(r"[A-Za-z0-9_.-]*")
_PAIR: Final = ("PlatformPrincipal", "PlatformCredential")


@operation("sns", "CreatePlatformApplication")
def create_platform_application(call: Call) -> Mapping[str, Any]:
    request = call.parameters
    name, platform = request["Name"], request["Platform"]
    if not name:
        raise invalid(f"{name} Reason: cannot be empty")
    if len(name) > _LONGEST_NAME:
        raise invalid(f"{name} Reason: must be at most {_LONGEST_NAME} characters long")
    if not _NAME.fullmatch(name):
        raise invalid(
            f"{name} Reason: must contain only characters 'a'-'z', 'A'-'Z', '0'-'9', '_', '-', "
            "and '.'"
        )
    if platform not in _PLATFORMS:
        raise invalid(f"Platform Reason: {platform} is not supported")
    if platform not in _WITHOUT_PRINCIPAL:
        _check_pair(request.get("Attributes") or {})
    raise ForwardToMoto


def _check_pair(attributes: Mapping[str, str]) -> None:
    for given, other in (_PAIR, _PAIR[::-1]):
        if given in attributes and other not in attributes:
            raise invalid(f"Attributes Reason: {given} attribute provided without {other}")


@operation("sns", "GetPlatformApplicationAttributes")
def get_platform_application_attributes(call: Call) -> Mapping[str, Any]:
    _check_application(call)
    raise ForwardToMoto


@operation("sns", "SetPlatformApplicationAttributes")
def set_platform_application_attributes(call: Call) -> Mapping[str, Any]:
    _check_application(call)
    raise ForwardToMoto


def _check_application(call: Call) -> None:
    """Refuse what names no application of this account.

    Raises
    ------
    AwsError
        InvalidParameter: it is no ARN. NotFound: there is none.
    """
    arn = call.parameters["PlatformApplicationArn"]
    parts_of("PlatformApplicationArn", arn)
    if arn not in backend_of(call).applications:
        raise not_found("PlatformApplication")
