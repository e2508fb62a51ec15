"""moto refuses names of filters that are not in lower case, and empty values; S3 takes them.

https://docs.aws.amazon.com/AmazonS3/latest/API/API_FilterRule.html
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from clusterwright_localaws.core.runtime import runtime

MOTO_VERSION = "5.2.5"
DESCRIPTION = (
    "S3: names of filters of notifications have no case; they are answered capitalised. Their "
    "values may be empty"
)
# An empty value, which moto refuses, is marked while moto reads it.
_EMPTY: Final = re.compile(rb"<Value>\s*</Value>|<Value\s*/>")
_NOTHING: Final = "\ue000"
_NAME: Final = re.compile(rb"(?<=<Name>)\s*(?:prefix|suffix)\s*(?=</)", re.IGNORECASE)


def apply() -> None:
    from moto.s3.responses import S3Response

    from_body = S3Response._notification_config_from_body
    serialized = S3Response.serialized

    def _from_body(self: Any) -> Any:
        if runtime().active:
            self.body = _NAME.sub(lambda name: name[0].strip().lower(), self.body)
            self.body = _EMPTY.sub(f"<Value>{_NOTHING}</Value>".encode(), self.body)
        return _without_marks(from_body(self))

    def _serialized(self: Any, action_result: Any) -> Any:
        action = self.data.get("Action")
        if runtime().active and action == "GetBucketNotificationConfiguration":
            for key in _keys(action_result.result):
                # New rules: those of the answer are those that moto keeps.
                key["FilterRules"] = [
                    {**rule, "Name": rule["Name"].capitalize()} for rule in key["FilterRules"]
                ]
        return serialized(self, action_result)

    S3Response._notification_config_from_body = _from_body  # type: ignore[method-assign]
    S3Response.serialized = _serialized  # type: ignore[method-assign]


def _keys(result: Any) -> Iterator[dict[str, Any]]:
    if isinstance(result, dict):  # otherwise it is an error
        for configurations in result.values():
            yield from (one["Filter"]["Key"] for one in configurations if "Filter" in one)


def _without_marks(found: Any) -> Any:
    if isinstance(found, dict):
        return {name: _without_marks(one) for name, one in found.items()}
    if isinstance(found, list):
        return [_without_marks(one) for one in found]
    return "" if found == _NOTHING else found
