"""Settings of text messages that SNS refuses; moto keeps the others.

https://docs.aws.amazon.com/sns/latest/api/API_SetSMSAttributes.html. Messages as recorded on AWS:
docs/reference/probes.md, source `localstack`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from clusterwright_localaws.core.call import Call, operation
from clusterwright_localaws.core.errors import AwsError, ForwardToMoto
from clusterwright_localaws.services.sns.arguments import invalid

_ATTRIBUTES: Final = frozenset(
    {
        "DefaultSenderID",
        "DefaultSMSType",
        "DeliveryStatusIAMRole",
        "DeliveryStatusSuccessSamplingRate",
        "MonthlySpendLimit",
        "UsageReportS3Bucket",
    }
)
_TYPES: Final = ("Promotional", "Transactional")
_PHONE_NUMBER: Final = re.compile(r"\+?\d+")


@operation("sns", "SetSMSAttributes")
def set_sms_attributes(call: Call) -> Mapping[str, Any]:
    attributes = call.parameters["attributes"]
    for name in attributes:
        if name not in _ATTRIBUTES:
            raise AwsError("InvalidParameter", f"{name} is not a valid attribute", 400)
    if attributes.get("DefaultSMSType", _TYPES[0]) not in _TYPES:
        raise AwsError("InvalidParameter", "DefaultSMSType is invalid", 400)
    raise ForwardToMoto


@operation("sns", "OptInPhoneNumber")
def opt_in_phone_number(call: Call) -> Mapping[str, Any]:
    if not _PHONE_NUMBER.fullmatch(call.parameters["phoneNumber"]):
        raise invalid("PhoneNumber Reason: input incorrectly formatted")
    raise ForwardToMoto
