"""moto keeps the ARN of a deleted user or role in the policies of resources.

https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_elements_principal.html
"""

from __future__ import annotations

from typing import Any

from clusterwright_localaws.core.runtime import runtime
from clusterwright_localaws.iam.deleted_principals import replace_principal

MOTO_VERSION = "5.2.5"
DESCRIPTION = (
    "IAM: policies of resources that name a user or a role have its unique id once it is deleted"
)


def apply() -> None:
    from moto.iam.models import IAMBackend

    for kind in ("role", "user"):
        name = f"delete_{kind}"
        setattr(IAMBackend, name, _replacing(getattr(IAMBackend, name), kind))


def _replacing(delete: Any, kind: str) -> Any:
    def _delete(self: Any, name: str) -> None:
        found = next(
            (one for one in list(getattr(self, f"{kind}s").values()) if one.name == name), None
        )
        delete(self, name)
        if runtime().active and found is not None:
            replace_principal(str(found.arn), str(found.id))

    return _delete
