"""The nodes of a cluster: the instances of its order, with what EC2 and IAM know of them."""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from email import message_from_string
from typing import Any

from clusterwright_localaws.drivers import PcsGroupOrder, PcsOrder
from clusterwright_rehearsal.errors import RehearsalError
from clusterwright_rehearsal.nodes.aws_clients import AwsClients


@dataclass(frozen=True)
class Member:
    """One node: its current instance and its group.

    `name` is the node's name in Slurm, which is group and number (`workers-1`), and here also the
    host name.
    """

    name: str
    group_name: str
    group_id: str
    number: int
    is_static: bool
    is_login: bool
    instance_id: str
    instance_type: str
    address: str
    subnet_id: str
    zone_name: str
    image_id: str
    role_arn: str
    user_data: str
    security_groups: tuple[str, ...]

    @property
    def role(self) -> str:
        """HyperPod's name of the role, which scenarios use."""
        return "Login" if self.is_login else "Compute"


def members(account: AwsClients, order: PcsOrder) -> list[Member]:
    """Every node of the order whose instance EC2 describes."""
    wanted = {one.instance_id: (group, one) for group in order.groups for one in group.instances}
    if not wanted:
        return []
    queued = {
        str(one.get("computeNodeGroupId"))
        for queue in order.queues
        for one in queue.members["computeNodeGroupConfigurations"]
    }
    roles: dict[str, str] = {}
    found = []
    for instance in _instances(account, list(wanted)):
        group, one = wanted[instance["InstanceId"]]
        profile = str(group.members["iamInstanceProfileArn"])
        if profile not in roles:
            roles[profile] = _role_arn(account, profile)
        found.append(
            Member(
                name=one.name,
                group_name=group.name,
                group_id=group.id,
                number=one.number,
                is_static=group.is_static(one.number),
                # A group without a queue takes no jobs; a queue may come after its group.
                is_login=group.id not in queued,
                instance_id=one.instance_id,
                instance_type=instance["InstanceType"],
                address=instance["PrivateIpAddress"],
                subnet_id=instance["SubnetId"],
                zone_name=instance["Placement"]["AvailabilityZone"],
                image_id=instance["ImageId"],
                role_arn=roles[profile],
                user_data=_user_data(group),
                security_groups=_security_groups(instance),
            )
        )
    return sorted(found, key=lambda member: (member.group_name, member.number))


def shell_scripts(user_data: str) -> list[str]:
    """The shell scripts of user data: a script, or the parts of a MIME message.

    Raises
    ------
    RehearsalError
        It has another format, such as cloud-config, which no rehearsal interprets.
    """
    text = user_data.strip()
    if not text:
        return []
    if text.startswith("#!"):
        return [text + "\n"]
    found = []
    message = message_from_string(text)
    if not message.is_multipart():
        raise RehearsalError(f"user data is not a script or a MIME message: {text[:60]!r}")
    for part in message.walk():
        if part.is_multipart():
            continue
        payload = part.get_payload(decode=True)
        body = payload.decode() if isinstance(payload, bytes) else ""
        if part.get_content_type() != "text/x-shellscript":
            raise RehearsalError(
                f"a part of the user data is {part.get_content_type()}; only scripts are rehearsed"
            )
        found.append(body)
    return found


def _instances(account: AwsClients, ids: list[str]) -> Iterator[Mapping[str, Any]]:
    pages = (
        account.client("ec2")
        .get_paginator("describe_instances")
        .paginate(
            Filters=[
                {"Name": "instance-id", "Values": ids},
                {"Name": "instance-state-name", "Values": ["pending", "running"]},
            ]
        )
    )
    for page in pages:
        for reservation in page["Reservations"]:
            yield from reservation["Instances"]


def _security_groups(instance: Mapping[str, Any]) -> tuple[str, ...]:
    """Those of the instance, or of its interfaces where the launch template has interfaces."""
    found = [one["GroupId"] for one in instance.get("SecurityGroups") or ()]
    for interface in instance.get("NetworkInterfaces") or ():
        found += [one["GroupId"] for one in interface.get("Groups") or ()]
    return tuple(dict.fromkeys(found))


def _role_arn(account: AwsClients, profile_arn: str) -> str:
    name = profile_arn.rsplit("/", 1)[-1]
    found = account.client("iam").get_instance_profile(InstanceProfileName=name)
    arn: str = found["InstanceProfile"]["Roles"][0]["Arn"]
    return arn


def _user_data(group: PcsGroupOrder) -> str:
    return base64.b64decode(group.template.get("UserData") or "").decode()
