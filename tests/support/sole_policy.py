"""A user of the local AWS whose only policy changes."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any


class SolePolicy:
    """The managed policy of a user: inline ones of a user have at most 2,048 characters, managed
    ones 6,144.
    """

    def __init__(self, iam: Any, user: str) -> None:
        self._iam, self._user = iam, user
        self._arn: str | None = None

    def replace(self, document: Mapping[str, Any]) -> None:
        if self._arn is not None:
            self._iam.detach_user_policy(UserName=self._user, PolicyArn=self._arn)
            self._iam.delete_policy(PolicyArn=self._arn)
        made = self._iam.create_policy(PolicyName="only", PolicyDocument=json.dumps(document))
        self._arn = str(made["Policy"]["Arn"])
        self._iam.attach_user_policy(UserName=self._user, PolicyArn=self._arn)
