"""How many interfaces an instance type takes, on each of its network cards, and with EFA.

The limits are those of DescribeInstanceTypes. The code AttachmentLimitExceeded:
https://docs.aws.amazon.com/AWSEC2/latest/APIReference/errors-overview.html

Texts that users quote: of launches, https://github.com/chef/knife-ec2/pull/375; of attachments,
https://github.com/cilium/cilium/issues/15877; of types without EFA,
https://github.com/devopsacademyau/academy/pull/277. The others are ours, and so is the code of
types without EFA.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any, Final

from clusterwright_localaws.core.call import Call, operation
from clusterwright_localaws.core.errors import AwsError, ForwardToMoto
from clusterwright_localaws.services.ec2.common import number_of
from clusterwright_localaws.services.ec2.reserved import ec2_backend

_EFA: Final = ("efa", "efa-only")


@operation("ec2", "AttachNetworkInterface")
def attach_network_interface(call: Call) -> Mapping[str, Any]:
    ec2 = ec2_backend(call.account, call.region)
    if call.parameters["NetworkInterfaceId"] not in ec2.enis:
        raise ForwardToMoto
    instance = ec2.get_instance(call.parameters["InstanceId"])
    kind = str(instance.instance_type)
    _check_count(kind, len(instance.nics) + 1)
    _check_card(kind, _card(call.parameters))
    raise ForwardToMoto


def check_interfaces(launch: Mapping[str, Any]) -> None:
    """Check the interfaces of a launch.

    Raises
    ------
    AwsError
        The type does not take them.
    """
    kind = str(launch.get("InstanceType"))
    interfaces = launch.get("NetworkInterfaces") or ()
    _check_count(kind, len(interfaces))
    cards = Counter(_card(one) for one in interfaces)
    for card, count in sorted(cards.items()):
        _check_card(kind, card, count)
    _check_efa(kind, sum(1 for one in interfaces if one.get("InterfaceType") in _EFA))


def _card(interface: Mapping[str, Any]) -> int:
    return number_of(interface, "NetworkCardIndex") or 0


def _check_count(kind: str, count: int) -> None:
    most = _network(kind).get("MaximumNetworkInterfaces")
    if most is not None and count > most:
        raise _too_many(f"Interface count {count} exceeds the limit for {kind}")


def _check_card(kind: str, card: int, count: int = 1) -> None:
    network = _network(kind)
    cards = network.get("MaximumNetworkCards")
    if cards is not None and card >= cards:
        raise AwsError(
            "InvalidParameterValue",
            f"Network card index {card} is not valid: {kind} has {cards} network cards",
        )
    for one in network.get("NetworkCards") or ():
        if one["NetworkCardIndex"] == card and count > one["MaximumNetworkInterfaces"]:
            raise _too_many(
                f"Interface count {count} exceeds the limit for network card {card} of {kind}"
            )


def _check_efa(kind: str, count: int) -> None:
    network = _network(kind)
    if count and network.get("EfaSupported") is False:
        raise AwsError(
            "InvalidParameterCombination",
            f"{kind} instances do not support Elastic Fabric Adapters.",
        )
    most = (network.get("EfaInfo") or {}).get("MaximumEfaInterfaces")
    if most is not None and count > most:
        raise _too_many(f"EFA interface count {count} exceeds the limit for {kind}")


def _network(kind: str) -> Mapping[str, Any]:
    """Return what is known of the network of a type; empty where it is not known."""
    from moto.ec2.models.instance_types import INSTANCE_TYPES

    found: Mapping[str, Any] = INSTANCE_TYPES.get(kind, {}).get("NetworkInfo", {})
    return found


def _too_many(text: str) -> AwsError:
    return AwsError("AttachmentLimitExceeded", text)
