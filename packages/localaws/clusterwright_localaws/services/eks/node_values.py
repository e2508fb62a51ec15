"""Values of managed node groups: labels and taints, images for instance types, updates, repairs.

Messages: aws-controllers-k8s/community#2208 (syntax), aws/containers-roadmap#1451 (prefixes),
ManagedKube/kubernetes-ops#231 and HHS/simpler-grants-gov#12404 (images); others are ours.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from clusterwright_localaws.core import catalog_facts
from clusterwright_localaws.services.eks.state import invalid

_SYNTAX: Final = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]"
_WORD: Final = re.compile(_SYNTAX)
_PREFIX: Final = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")
# Of a label whose key only ends so, such as `node-role.kubernetes.io/`, the nodes fail to join.
_RESERVED: Final = ("kubernetes.io/", "k8s.io/", "eks.amazonaws.com/")
_MOST_UNAVAILABLE = 100  # API model, NodegroupUpdateConfig.maxUnavailable
_MOST_TYPES = 20  # API model, CreateNodegroup.instanceTypes


def check_labels(labels: Mapping[str, str]) -> None:
    for key, value in labels.items():
        if key.startswith(_RESERVED):
            raise invalid(f"Label cannot contain reserved prefixes [{', '.join(_RESERVED)}]")
        _check_key(key)
        _check_word(value)


def check_taints(taints: Iterable[Mapping[str, Any]]) -> None:
    for taint in taints:
        if taint.get("key"):
            _check_key(taint["key"])
        if taint.get("value"):
            _check_word(taint["value"])


def check_types(types: Sequence[str], image_type: str) -> None:
    """Instance types have the architecture of the group's type of image, and are at most 20."""
    if len(types) > _MOST_TYPES:
        raise invalid(f"A node group has at most {_MOST_TYPES} instance types.")
    wanted = _architecture_of_image(image_type)
    wrong = [name for name in types if wanted and wanted not in _architectures(name)]
    if wrong:
        raise invalid(
            f"[{', '.join(wrong)}] is not a valid instance type for requested amiType {image_type}"
        )


def check_update_config(config: Mapping[str, Any]) -> None:
    if "maxUnavailable" in config and "maxUnavailablePercentage" in config:
        raise invalid("Specify only one of maxUnavailable and maxUnavailablePercentage")
    if config.get("maxUnavailable", 1) > _MOST_UNAVAILABLE:
        raise invalid(f"maxUnavailable can't be greater than {_MOST_UNAVAILABLE}")


def check_repair_config(config: Mapping[str, Any]) -> None:
    """Check counts and percentages, of which the API model allows one ("cannot also set")."""
    for name in ("maxUnhealthyNodeThreshold", "maxParallelNodesRepaired"):
        if f"{name}Count" in config and f"{name}Percentage" in config:
            raise invalid(f"Specify only one of {name}Count and {name}Percentage")


def _check_key(key: str) -> None:
    """Kubernetes: an optional DNS subdomain and a slash before the name."""
    prefix, slash, name = key.rpartition("/")
    _check_word(name)
    if slash and not (len(prefix) <= 253 and _PREFIX.fullmatch(prefix)):
        raise invalid(f"Invalid value: {key} : the prefix of a key must be a DNS subdomain")


def _check_word(value: str) -> None:
    if not _WORD.fullmatch(value):
        raise invalid(
            f"Invalid value: {value} : field must consist of alphanumeric characters, '-', '_' or "
            "'.', and must start and end with an alphanumeric character (e.g. 'MyName',  or "
            f"'my.name',  or '123-abc', regex used for validation is '{_SYNTAX}')"
        )


def _architecture_of_image(image_type: str) -> str | None:
    if "_ARM_64" in image_type:
        return "arm64"
    return "x86_64" if "_x86_64" in image_type else None


def _architectures(instance_type: str) -> tuple[str, ...]:
    """Return the architectures of a type; both where they are not known."""
    from moto.ec2.models.instance_types import INSTANCE_TYPES

    found = catalog_facts.catalog().instance(instance_type)
    known = catalog_facts.known(found.architecture) if found is not None else None
    if known:
        return (str(known),)
    described = INSTANCE_TYPES.get(instance_type, {}).get("ProcessorInfo", {})
    return tuple(described.get("SupportedArchitectures", ("arm64", "x86_64")))
