"""Launch templates of compute node groups, and the rules of the purchase options.

API model (botocore 1.44.5), CreateComputeNodeGroup; PCS user guide, capacity-blocks-configure-cng
and capacity-reservations-iodcr.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from botocore.exceptions import ClientError

from clusterwright_localaws.core.errors import AwsError
from clusterwright_localaws.services.ec2.reserved import BLOCK, INTERRUPTIBLE, MARKETS
from clusterwright_localaws.services.pcs.network_checks import check_groups, subnet_of
from clusterwright_localaws.services.pcs.state import PcsCluster, Store, invalid

_TEMPLATE: Final = "customLaunchTemplate"
_BLOCK_STATES: Final = frozenset({"scheduled", "active"})


def data_of(store: Store, members: Mapping[str, Any]) -> dict[str, Any]:
    """Return the data of a group's launch template as EC2 answers it; empty in mode MANAGED.

    Raises
    ------
    AwsError
        ValidationException with EC2's message: no such template, or no such version;
        AccessDeniedException: the caller may not read it.
    """
    named = members.get(_TEMPLATE)
    if named is None:
        return {}
    try:
        found = store.client("ec2").describe_launch_template_versions(
            LaunchTemplateId=named["id"], Versions=[named["version"]]
        )["LaunchTemplateVersions"]
    except ClientError as error:
        raise _refused(_TEMPLATE, error) from error
    if not found:
        raise invalid(
            _TEMPLATE,
            f"The launch template {named['id']} has no version {named['version']}.",
        )
    data: dict[str, Any] = found[0]["LaunchTemplateData"]
    return data


def check(store: Store, cluster: PcsCluster, members: Mapping[str, Any]) -> None:
    """Check what a group launches with: template, image, groups, key, purchase option.

    Raises
    ------
    AwsError
        ValidationException.
    """
    _check_mode(members)
    data = data_of(store, members)
    groups = members.get("securityGroupIds")
    if groups and data.get("NetworkInterfaces"):
        raise invalid(
            "securityGroupIds",
            "securityGroupIds can't be specified: the custom launch template defines network "
            "interfaces.",
        )
    check_groups(store, groups or (), cluster.vpc_id, "securityGroupIds")
    _check_image(store, members.get("amiId") or data.get("ImageId"))
    if members.get("sshKeyName"):
        _ask(
            store,
            "sshKeyName",
            "describe_key_pairs",
            KeyNames=[members["sshKeyName"]],
        )
    purchase = members["purchaseOption"]
    if members.get("spotOptions") and purchase != "SPOT":
        raise invalid("spotOptions", "spotOptions can be specified with purchaseOption SPOT only.")
    market = MARKETS.get(purchase)
    if market == BLOCK:
        _check_block(store, members, data)
    elif market == INTERRUPTIBLE:
        _check_interruptible(store, members, data)


def _check_mode(members: Mapping[str, Any]) -> None:
    template = members.get(_TEMPLATE)
    if members["launchTemplateMode"] == "CUSTOM":
        if template is None:
            raise invalid(
                _TEMPLATE,
                "customLaunchTemplate is required when launchTemplateMode is CUSTOM.",
            )
        return
    if template is not None:
        raise invalid(
            _TEMPLATE,
            "customLaunchTemplate can't be specified when launchTemplateMode is MANAGED.",
        )
    for name in ("amiId", "securityGroupIds"):
        if not members.get(name):
            raise invalid(name, f"{name} is required when launchTemplateMode is MANAGED.")


def _check_image(store: Store, image_id: str | None) -> None:
    if not image_id:
        raise invalid(
            "amiId", "The launch template doesn't define the AMI ID, and amiId is not specified."
        )
    if image_id.startswith("ami-"):  # resolve:ssm:... is resolved at the launch
        _ask(store, "amiId", "describe_images", ImageIds=[image_id])


def _check_interruptible(
    store: Store, members: Mapping[str, Any], data: Mapping[str, Any]
) -> None:
    """PCS user guide, capacity-reservations-iodcr; its texts and further rules are not known."""
    identifier = _reservation_id(members, data)
    if not _reservation(store, identifier).get("Interruptible"):
        raise invalid(_TEMPLATE, f"The capacity reservation {identifier} is not interruptible.")


def _reservation_id(members: Mapping[str, Any], data: Mapping[str, Any]) -> str:
    """Return the reservation that the launch template names, with the option's market type."""
    option = members["purchaseOption"]
    if (data.get("InstanceMarketOptions") or {}).get("MarketType") != MARKETS[option]:
        raise invalid(
            _TEMPLATE,
            f"purchaseOption {option} needs a launch template with the MarketType "
            f"{MARKETS[option]}.",
        )
    target = (data.get("CapacityReservationSpecification") or {}).get("CapacityReservationTarget")
    identifier = (target or {}).get("CapacityReservationId")
    if not identifier:
        raise invalid(
            _TEMPLATE,
            f"purchaseOption {option} needs a launch template with a CapacityReservationId.",
        )
    return str(identifier)


def _reservation(store: Store, identifier: str) -> dict[str, Any]:
    return dict(
        _ask(
            store, _TEMPLATE, "describe_capacity_reservations", CapacityReservationIds=[identifier]
        )["CapacityReservations"][0]
    )


def _check_block(store: Store, members: Mapping[str, Any], data: Mapping[str, Any]) -> None:
    block_id = _reservation_id(members, data)
    types = {one.get("instanceType") for one in members["instanceConfigs"]}
    if {data.get("InstanceType")} != types:
        raise invalid(
            _TEMPLATE,
            f"The launch template's InstanceType is {data.get('InstanceType')}; the compute node "
            f"group has {', '.join(sorted(map(str, types)))}.",
        )
    block = _reservation(store, block_id)
    if block["State"] not in _BLOCK_STATES:
        raise invalid(
            _TEMPLATE,
            f"The Capacity Block {block_id} is {block['State']}; it must be scheduled or active.",
        )
    if block["InstanceType"] not in types:
        raise invalid(
            _TEMPLATE, f"The Capacity Block {block_id} has instances of {block['InstanceType']}."
        )
    maximum = members["scalingConfiguration"]["maxInstanceCount"]
    if maximum > block["TotalInstanceCount"]:
        raise invalid(
            "scalingConfiguration.maxInstanceCount",
            f"maxInstanceCount {maximum} exceeds the size of the Capacity Block {block_id}, "
            f"{block['TotalInstanceCount']}.",
        )
    zones = [subnet_of(store, one, "subnetIds").availability_zone for one in members["subnetIds"]]
    if block["AvailabilityZone"] not in zones:
        raise invalid(
            "subnetIds",
            f"The Capacity Block {block_id} is in {block['AvailabilityZone']}; no subnet of the "
            "compute node group is.",
        )


def _ask(store: Store, member: str, method: str, **parameters: Any) -> Any:
    """Return EC2's answer; its refusal is one of `member`."""
    try:
        return getattr(store.client("ec2"), method)(**parameters)
    except ClientError as error:
        raise _refused(member, error) from error


def _refused(member: str, error: ClientError) -> AwsError:
    """EC2's refusal: of the caller's permissions, which PCS needs, or of a value of `member`.

    PCS user guide, "Minimum permissions for AWS PCS" (security-min-permissions).
    """
    found = error.response["Error"]
    if found["Code"] == "UnauthorizedOperation":
        return AwsError("AccessDeniedException", str(found["Message"]))
    return invalid(member, str(found["Message"]))
