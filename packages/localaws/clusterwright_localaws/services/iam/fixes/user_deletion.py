"""moto deletes users that still have groups, keys, a password, devices or certificates.

https://docs.aws.amazon.com/IAM/latest/APIReference/API_DeleteUser.html
Messages as users quote them: cloud-custodian#1663 (password), aws-controllers-k8s/community#2229
(access keys), rebuy-de/aws-nuke#281 (MFA devices) and #319 (the rest).
"""

from __future__ import annotations

from typing import Any

from clusterwright_localaws.core.runtime import runtime

MOTO_VERSION = "5.2.5"
DESCRIPTION = (
    "IAM: DeleteUser refuses a user with groups, access keys, a password, MFA devices, SSH keys "
    "or certificates"
)


def apply() -> None:
    from moto.iam.models import IAMBackend

    delete_user = IAMBackend.delete_user

    def _delete_user(self: Any, user_name: str) -> None:
        user = self.users.get(user_name)
        if runtime().active and user is not None:
            _refuse_in_use(self, user)
        delete_user(self, user_name)

    IAMBackend.delete_user = _delete_user  # type: ignore[method-assign]


def _refuse_in_use(backend: Any, user: Any) -> None:
    from moto.iam.exceptions import DeleteConflictException

    left = {
        "delete login profile": user.password,
        "delete access keys": user.access_keys,
        "delete MFA device": user.mfa_devices,
        "remove referenced objects": (
            user.ssh_public_keys
            or user.signing_certificates
            or any(user in group.users for group in list(backend.groups.values()))
        ),
    }
    for what, there in left.items():
        if there:
            raise DeleteConflictException(f"Cannot delete entity, must {what} first.")
