"""Quotas of a user that cannot be increased, and that moto does not have.

https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_iam-quotas.html. The texts have the form
of those about other quotas (`AccessKeysPerUser`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from clusterwright_localaws.core.call import Call, operation
from clusterwright_localaws.core.errors import AwsError, ForwardToMoto
from clusterwright_localaws.iam import entities

Count = Callable[[Call, Any], int]


def _groups(call: Call, user: Any) -> int:
    """Return how many other groups a user is a member of."""
    name = call.parameters["GroupName"]
    groups = entities.backend_of(call.account, call.partition).groups.values()
    return sum(user in group.users for group in groups if group.name != name)


_QUOTAS: Final[Mapping[str, tuple[str, int, Count]]] = {
    "AddUserToGroup": ("GroupsPerUser", 10, _groups),
    "EnableMFADevice": ("MFADevicesPerUser", 8, lambda _, user: len(user.mfa_devices)),
    "UploadSSHPublicKey": ("SSHPublicKeysPerUser", 5, lambda _, user: len(user.ssh_public_keys)),
}


@operation("iam", *_QUOTAS)
def add_to_user(call: Call) -> Mapping[str, Any]:
    name, most, count = _QUOTAS[call.operation]
    users = entities.backend_of(call.account, call.partition).users
    user = users.get(call.parameters["UserName"])
    if user is not None and count(call, user) >= most:
        raise AwsError("LimitExceeded", f"Cannot exceed quota for {name}: {most}", 409)
    raise ForwardToMoto
