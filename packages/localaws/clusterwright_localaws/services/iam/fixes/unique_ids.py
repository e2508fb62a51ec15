"""moto's ids of users, groups, instance profiles and policies have no prefix of their kind.

https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_identifiers.html
"""

from __future__ import annotations

import functools
import secrets
import string
from typing import Any

from clusterwright_localaws.core.runtime import runtime

MOTO_VERSION = "5.2.5"
DESCRIPTION = (
    "IAM: ids of users, groups, instance profiles and managed policies begin with AIDA, AGPA, "
    "AIPA and ANPA"
)
REPRODUCTION = """\
user = boto3.client("iam").create_user(UserName="user")["User"]
assert user["UserId"].startswith("AIDA"), user["UserId"]
"""
_LENGTH = 21


def apply() -> None:
    from moto.iam import models

    for kind, prefix in (
        (models.User, "AIDA"),
        (models.Group, "AGPA"),
        (models.InstanceProfile, "AIPA"),
        (models.ManagedPolicy, "ANPA"),
    ):
        _prefix(kind, prefix)


def _prefix(kind: Any, prefix: str) -> None:
    of_moto = kind.__init__

    @functools.wraps(of_moto)
    def __init__(self: Any, *arguments: Any, **named: Any) -> None:  # noqa: N807
        of_moto(self, *arguments, **named)
        if runtime().active:
            self.id = _new_id(prefix)

    kind.__init__ = __init__


def _new_id(prefix: str) -> str:
    letters = string.ascii_uppercase + string.digits
    return prefix + "".join(secrets.choice(letters) for _ in range(_LENGTH - len(prefix)))
