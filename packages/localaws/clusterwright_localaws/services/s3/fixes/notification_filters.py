"""moto refuses names of filters that are not in lower case; S3 takes any, and answers one form.

https://docs.aws.amazon.com/AmazonS3/latest/API/API_FilterRule.html
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from clusterwright_localaws.core.runtime import runtime

MOTO_VERSION = "5.2.5"
DESCRIPTION = "S3: names of filters of notifications have no case; they are answered capitalised"
_NAME: Final = re.compile(rb"(?<=<Name>)\s*(?:prefix|suffix)\s*(?=</)", re.IGNORECASE)


def apply() -> None:
    from moto.s3.responses import S3Response

    from_body = S3Response._notification_config_from_body
    serialized = S3Response.serialized

    def _from_body(self: Any) -> Any:
        if runtime().active:
            self.body = _NAME.sub(lambda name: name[0].strip().lower(), self.body)
        return from_body(self)

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
