"""moto deletes security groups and subnets that are in use."""

from __future__ import annotations

from typing import Any

from clusterwright_localaws.core.runtime import runtime
from clusterwright_localaws.services.ec2.network import network_of

MOTO_VERSION = "5.2.5"
DESCRIPTION = (
    "EC2: DeleteSecurityGroup and DeleteSubnet refuse with DependencyViolation while network "
    "interfaces, rules of other groups, HyperPod clusters or file systems use them"
)


def apply() -> None:
    from moto.ec2.models import EC2Backend

    delete_group_in_moto = EC2Backend._delete_security_group
    delete_subnet_in_moto = EC2Backend.delete_subnet

    def _delete_security_group(self: Any, vpc_id: str | None, group_id: str) -> None:
        if runtime().active and _group_in_use(self, group_id):
            raise _violation(f"resource {group_id} has a dependent object")
        delete_group_in_moto(self, vpc_id, group_id)

    def delete_subnet(self: Any, subnet_id: str) -> Any:
        if runtime().active and _subnet_in_use(self, subnet_id):
            raise _violation(f"The subnet '{subnet_id}' has dependencies and cannot be deleted.")
        deleted = delete_subnet_in_moto(self, subnet_id)
        network_of(runtime(), self.account_id, self.region_name).forget_subnet(subnet_id)
        return deleted

    EC2Backend._delete_security_group = _delete_security_group  # type: ignore[method-assign]
    EC2Backend.delete_subnet = delete_subnet  # type: ignore[method-assign]


def _group_in_use(ec2: Any, group_id: str) -> bool:
    network = network_of(runtime(), ec2.account_id, ec2.region_name)
    if network.users_of_security_group(group_id):
        return True
    if any(group.id == group_id for eni in list(ec2.enis.values()) for group in eni.group_set):
        return True
    return any(
        rule.source_group.get("GroupId") == group_id
        for groups in list(ec2.groups.values())
        for group in list(groups.values())
        if group.id != group_id
        for rule in (*group.ingress_rules, *group.egress_rules)
    )


def _subnet_in_use(ec2: Any, subnet_id: str) -> bool:
    network = network_of(runtime(), ec2.account_id, ec2.region_name)
    if network.users_of_subnet(subnet_id):
        return True
    return any(
        eni.subnet is not None and eni.subnet.id == subnet_id for eni in list(ec2.enis.values())
    )


def _violation(message: str) -> Exception:
    from moto.ec2.exceptions import EC2ClientError

    return EC2ClientError("DependencyViolation", message)
