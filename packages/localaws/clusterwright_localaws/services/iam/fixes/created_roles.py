"""moto answers the creation of a role with members that AWS does not answer.

Recorded on AWS: docs/reference/probes.md, source `localstack`. GetRole and ListRoles have them.
"""

from __future__ import annotations

from typing import Any

from clusterwright_localaws.core.runtime import runtime

MOTO_VERSION = "5.2.5"
DESCRIPTION = "IAM: CreateRole answers neither MaxSessionDuration nor RoleLastUsed"


def apply() -> None:
    from moto.iam.responses import IamResponse

    for operation in ("CreateRole", "CreateServiceLinkedRole"):
        for member in ("MaxSessionDuration", "RoleLastUsed"):
            IamResponse.RESPONSE_KEY_PATH_TO_TRANSFORMER[f"{operation}Response.Role.{member}"] = (
                _leave_out
            )


def _leave_out(value: Any) -> Any:
    return None if runtime().active else value
