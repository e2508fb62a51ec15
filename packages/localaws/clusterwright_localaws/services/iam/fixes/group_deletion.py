"""moto deletes groups that have users or policies.

https://docs.aws.amazon.com/IAM/latest/APIReference/API_DeleteGroup.html
"""

from __future__ import annotations

from typing import Any

from clusterwright_localaws.core.runtime import runtime

MOTO_VERSION = "5.2.5"
DESCRIPTION = "IAM: DeleteGroup refuses a group that has users or policies"
REPRODUCTION = """\
iam = boto3.client("iam")
iam.create_group(GroupName="group")
iam.create_user(UserName="user")
iam.add_user_to_group(GroupName="group", UserName="user")
try:
    iam.delete_group(GroupName="group")
except iam.exceptions.DeleteConflictException:
    pass
else:
    raise AssertionError("the group is deleted")
"""


def apply() -> None:
    from moto.iam.models import IAMBackend

    delete_group = IAMBackend.delete_group

    def _delete_group(self: Any, group_name: str) -> None:
        group = self.groups.get(group_name)
        if runtime().active and group is not None:
            _refuse_in_use(group)
        delete_group(self, group_name)

    IAMBackend.delete_group = _delete_group  # type: ignore[method-assign]


def _refuse_in_use(group: Any) -> None:
    from moto.iam.exceptions import DeleteConflictException

    if group.users:
        raise DeleteConflictException("Cannot delete entity, must remove users from group first.")
    if group.managed_policies:
        raise DeleteConflictException("Cannot delete entity, must detach all policies first.")
    if group.policies:
        raise DeleteConflictException("Cannot delete entity, must delete policies first.")
