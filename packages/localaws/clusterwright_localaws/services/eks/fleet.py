"""The instances of a managed node group, launched in EC2 as by its Auto Scaling group.

EC2's checks apply: zones that offer the type, free capacity, reservations and blocks, placement
groups, vCPU quotas. Each node uses as many addresses of its subnet as EKS's network plugin uses
for its type.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from clusterwright.catalog import Known
from clusterwright_localaws.core import catalog_facts
from clusterwright_localaws.services.eks import checks
from clusterwright_localaws.services.eks.state import ChildResource, Store

CLUSTER_TAG = "eks:cluster-name"
GROUP_TAG = "eks:nodegroup-name"
# A placeholder, since EC2 requires an image; ids of EKS's images are not sourced.
IMAGE = "resolve:ssm:/aws/service/ami-amazon-linux-latest/al2023-ami-kernel-default-x86_64"

Problem = tuple[str, str]
"""The code of an issue of EKS, and the message."""


class Fleet:
    """The nodes of one group; `group.members["nodes"]` are their ids, subnets and addresses."""

    def __init__(self, store: Store, group: ChildResource) -> None:
        self.store, self.group = store, group

    @property
    def nodes(self) -> list[tuple[str, str, list[tuple[int, int]]]]:
        found: list[tuple[str, str, list[tuple[int, int]]]] = self.group.members["nodes"]
        return found

    def grow_to(self, wanted: int) -> Problem | None:
        """Launch missing nodes. Return the issue if that fails; no new node remains then."""
        before = {node[0] for node in self.nodes}
        reason: Problem = ("AsgInstanceLaunchFailures", "Could not launch instances.")
        for subnet in checks.subnets_of(self.store, self.group.members["subnets"]):
            for name in self.group.members["instanceTypes"]:
                missing = wanted - len(self.nodes)
                if missing <= 0:
                    return None
                reason = self._launch(name, subnet, missing) or reason
        if len(self.nodes) >= wanted:
            return None
        self._end([node for node in self.nodes if node[0] not in before])
        return reason

    def shrink_to(self, wanted: int) -> None:
        """Terminate the newest nodes beyond `wanted`."""
        self._end(self.nodes[wanted:])

    def recycle(self) -> Problem | None:
        """Replace every node, as for an update to another version.

        With EKS's default strategy, new nodes start before old nodes terminate, in steps of
        maxUnavailable; with `MINIMAL`, old nodes terminate first.
        """
        old, wanted = list(self.nodes), len(self.nodes)
        step = self._at_once(wanted)
        minimal = (self.group.members.get("updateConfig") or {}).get("updateStrategy") == "MINIMAL"
        while old:
            part, old = old[:step], old[step:]
            if minimal:
                self._end(part)
                problem = self.grow_to(wanted)
            else:
                problem = self.grow_to(wanted + len(part))
                self._end(part)
            if problem is not None:
                return problem
        return None

    def restore(self) -> Problem | None:
        """Launch instances in place of terminated ones; return the issue if that fails."""
        alive = self._alive(self.nodes)
        self._forget([node for node in self.nodes if node[0] not in alive])
        return self.grow_to(self.group.members["scalingConfig"]["desiredSize"])

    def end(self) -> None:
        """Terminate every node."""
        self._end(list(self.nodes))

    def _at_once(self, wanted: int) -> int:
        config = self.group.members.get("updateConfig") or {}
        percent = config.get("maxUnavailablePercentage")
        count = wanted * percent // 100 if percent else config.get("maxUnavailable", 1)
        return max(1, min(int(count), 100))

    def _launch(self, name: str, subnet: Any, missing: int) -> Problem | None:
        from botocore.exceptions import ClientError

        each = catalog_facts.addresses_per_node(name, "eks")
        free = self.store.network.free_addresses(subnet)
        count = min(missing, free // each)
        if count < 1:
            return (
                "InsufficientFreeAddresses",
                f"Subnet {subnet.id} has {free} free IP addresses, {missing * each} are needed.",
            )
        own_image = self._own_image()
        problem = self._wrong_image(own_image, name) if own_image is not None else None
        if problem is not None:
            return problem
        try:
            started = self._ec2().run_instances(
                ImageId=own_image or IMAGE,
                MinCount=1,
                MaxCount=count,
                InstanceType=name,
                NetworkInterfaces=[self._interface(subnet.id)],
                TagSpecifications=[{"ResourceType": "instance", "Tags": list(self._tags())}],
                **self._asked(),
            )["Instances"]
        except ClientError as error:
            kind = {"SPOT": "Spot"}.get(self.group.members["capacityType"], "On-Demand")
            found = error.response["Error"]
            return (
                "AsgInstanceLaunchFailures",
                f"Could not launch {kind} Instances. {found['Code']} - {found['Message']} "
                "Launching EC2 instance failed.",
            )
        for instance in started:
            # The instance itself has one address; the plugin uses the others.
            more = self.store.network.take(subnet, each - 1) if each > 1 else []
            self.nodes.append((instance["InstanceId"], subnet.id, more))
        if count < missing:
            return (
                "InsufficientFreeAddresses",
                f"Subnet {subnet.id} has {free} free IP addresses, {missing * each} are needed.",
            )
        if len(started) < missing:
            return (
                "AsgInstanceLaunchFailures",
                "Could not launch On-Demand Instances. InsufficientInstanceCapacity - We "
                f"currently do not have sufficient {name} capacity in the Availability Zone "
                f"you requested ({subnet.availability_zone}).",
            )
        return None

    def _own_image(self) -> str | None:
        data = template_data(self.store, self.group.members.get("launchTemplate") or {})
        return data.get("ImageId")

    def _wrong_image(self, image_id: str, instance_type: str) -> Problem | None:
        """EC2's refusals of an image (EC2 API, error codes InvalidAMIID.NotFound and
        InvalidParameterValue), as Auto Scaling passes them on; moto accepts any image.
        """
        from botocore.exceptions import ClientError

        text = "Could not launch On-Demand Instances. {} Launching EC2 instance failed."
        try:
            found = self._ec2().describe_images(ImageIds=[image_id])["Images"]
        except ClientError as error:
            if not error.response["Error"]["Code"].startswith("InvalidAMIID"):
                raise
            found = []
        if not found:
            message = f"InvalidAMIID.NotFound - The image id '[{image_id}]' does not exist."
            return "AsgInstanceLaunchFailures", text.format(message)
        instance = catalog_facts.catalog().instance(instance_type)
        wanted = instance.architecture if instance is not None else None
        if isinstance(wanted, Known) and wanted.value != found[0]["Architecture"]:
            message = (
                f"InvalidParameterValue - The architecture '{wanted.value}' of the specified "
                f"instance type does not match the architecture '{found[0]['Architecture']}' of "
                "the specified AMI."
            )
            return "AsgInstanceLaunchFailures", text.format(message)
        return None

    def _asked(self) -> dict[str, Any]:
        """Return the placement and market of the launch template and the group's capacity type."""
        data = template_data(self.store, self.group.members.get("launchTemplate") or {})
        found: dict[str, Any] = {}
        placement = data.get("Placement") or {}
        if placement.get("GroupName"):
            found["Placement"] = {"GroupName": placement["GroupName"]}
        reservation = data.get("CapacityReservationSpecification")
        if reservation:
            found["CapacityReservationSpecification"] = dict(reservation)
        market = (data.get("InstanceMarketOptions") or {}).get("MarketType")
        if self.group.members["capacityType"] == "SPOT":
            market = "spot"
        if market:
            found["InstanceMarketOptions"] = {"MarketType": market}
        return found

    def _interface(self, subnet_id: str) -> dict[str, Any]:
        """Create the primary interface, deleted with its instance; others have no addresses."""
        data = template_data(self.store, self.group.members.get("launchTemplate") or {})
        groups = [
            group
            for interface in data.get("NetworkInterfaces", ())
            for group in _groups(interface)
        ]
        groups = list(dict.fromkeys(groups or data.get("SecurityGroupIds", ())))
        found: dict[str, Any] = {
            "DeviceIndex": 0,
            "SubnetId": subnet_id,
            "DeleteOnTermination": True,
        }
        return {**found, "Groups": groups} if groups else found

    def _tags(self) -> Iterator[dict[str, str]]:
        data = template_data(self.store, self.group.members.get("launchTemplate") or {})
        for specification in data.get("TagSpecifications", ()):
            if specification.get("ResourceType") == "instance":
                yield from (dict(tag) for tag in specification.get("Tags", ()))
        yield {"Key": CLUSTER_TAG, "Value": self.group.members["clusterName"]}
        yield {"Key": GROUP_TAG, "Value": self.group.members["nodegroupName"]}

    def _end(self, nodes: list[tuple[str, str, list[tuple[int, int]]]]) -> None:
        if not nodes:
            return
        alive = self._alive(nodes)
        self._forget(nodes)
        if alive:
            self._ec2().terminate_instances(InstanceIds=sorted(alive))

    def _alive(self, nodes: list[tuple[str, str, list[tuple[int, int]]]]) -> set[str]:
        return {
            instance["InstanceId"]
            for page in self._ec2()
            .get_paginator("describe_instances")
            .paginate(
                Filters=[
                    {"Name": "instance-id", "Values": [node[0] for node in nodes]},
                    {"Name": "instance-state-name", "Values": ["pending", "running"]},
                ]
            )
            for reservation in page["Reservations"]
            for instance in reservation["Instances"]
        }

    def _forget(self, nodes: list[tuple[str, str, list[tuple[int, int]]]]) -> None:
        for _, subnet_id, ranges in nodes:
            self.store.network.give_back(subnet_id, ranges)
        gone = {node[0] for node in nodes}
        self.group.members["nodes"] = [node for node in self.nodes if node[0] not in gone]

    def _ec2(self) -> Any:
        from clusterwright_localaws.core.boto_clients import client

        return client("ec2", account=self.store.account, region=self.store.region)


def template_data(store: Store, named: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the data of a launch template's version; empty without one."""
    found = template_of(store, named)
    if found is None:
        return {}
    number = str(named.get("version") or "$Default")
    version = (
        found.versions[int(number) - 1]
        if number.isdigit() and int(number) <= len(found.versions)
        else found.latest_version()
        if number == "$Latest"
        else found.default_version()
    )
    data: Mapping[str, Any] = version.data
    return data


def template_of(store: Store, named: Mapping[str, Any]) -> Any | None:
    """Return moto's launch template with this id or name, or `None`."""
    templates = list(store.network.ec2.launch_templates.values())
    return next(
        (
            each
            for each in templates
            if named.get("id") == each.id or (named.get("name") and named["name"] == each.name)
        ),
        None,
    )


def _groups(interface: Mapping[str, Any]) -> list[str]:
    # moto uses the names of EC2's query protocol.
    found = interface.get("Groups") or interface.get("SecurityGroupId") or []
    return [found] if isinstance(found, str) else list(found)
