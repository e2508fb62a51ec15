"""Members that deployed resources have, but no deployed template: a subnet, a subscription.

CloudFormation's drift detection looks at the resources of a stack, and not for others that
somebody added. Declared are the members by the templates of all stacks; what AWS lists must be the
same set. That a resource of a template is gone is reported for that resource.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from clusterwright.review.physical_values import UNRESOLVED, PhysicalValues
from clusterwright.review.resource_changes import Key, ResourceVersion
from clusterwright.review.results import SpecChange, UncheckedPart

Live = Mapping[tuple[str, str], Mapping[str, Mapping[str, str]]]
"""Members in words, by type and kind of member, then by the physical id of their resource."""

_DEFAULT_ENTRIES: Final = (
    "inbound: allow all traffic from 0.0.0.0/0",
    "outbound: allow all traffic to 0.0.0.0/0",
)
"""The rules of the default network ACL that EC2 makes.

https://docs.aws.amazon.com/vpc/latest/userguide/default-network-acl.html
"""

_SERVICE_ROLE: Final = ":role/aws-service-role/"


@dataclass(frozen=True)
class _Templates:
    resources: Mapping[Key, ResourceVersion]
    values: PhysicalValues
    physical_ids: Mapping[Key, str]

    def of(self, kind: str, *names: str) -> Iterator[Any]:
        """Properties of the resources of a type, as one text; `UNRESOLVED` where not known."""
        for key, side in self.resources.items():
            if side.type == kind:
                found = {name: self.values.of(key[0], side.properties.get(name)) for name in names}
                yield _text(found, *names)

    def ids(self, *kinds: str) -> Iterator[Any]:
        for key, side in self.resources.items():
            if side.type in kinds:
                yield self.physical_ids.get(key) or UNRESOLVED


Declared = Callable[[_Templates], Iterator[Any]]


def _ids(*kinds: str) -> Declared:
    return lambda templates: templates.ids(*kinds)


def _properties(kind: str, *names: str) -> Declared:
    return lambda templates: templates.of(kind, *names)


def _access_entries(templates: _Templates) -> Iterator[Any]:
    """Also the roles of the stacks: EKS creates the entries of the roles of nodes itself."""
    yield from templates.of("AWS::EKS::AccessEntry", "PrincipalArn")
    for key, side in templates.resources.items():
        if side.type == "AWS::IAM::Role":
            yield templates.values.of(key[0], ("attribute", key[1], "Arn"))


def _nodegroups(templates: _Templates) -> Iterator[Any]:
    """The physical id is the cluster's name and the group's."""
    for name in templates.ids("AWS::EKS::Nodegroup"):
        yield name if name is UNRESOLVED else name.rpartition("/")[2]


def _pod_identities(templates: _Templates) -> Iterator[Any]:
    kind = "AWS::EKS::PodIdentityAssociation"
    for name in templates.of(kind, "Namespace", "ServiceAccount"):
        yield name if name is UNRESOLVED else name.replace(" ", "/")


def _none(_: _Templates) -> Iterator[Any]:
    return iter(())


DECLARED: Final[Mapping[tuple[str, str], Declared]] = {
    ("AWS::EC2::VPC", "CidrBlocks"): _properties("AWS::EC2::VPCCidrBlock", "CidrBlock"),
    ("AWS::EC2::VPC", "Endpoints"): _ids("AWS::EC2::VPCEndpoint"),
    ("AWS::EC2::VPC", "InternetGateways"): _ids("AWS::EC2::InternetGateway"),
    ("AWS::EC2::VPC", "NameServers"): _none,
    ("AWS::EC2::VPC", "NatGateways"): _ids("AWS::EC2::NatGateway"),
    ("AWS::EC2::VPC", "NetworkAclEntries"): _none,
    ("AWS::EC2::VPC", "PeeringConnections"): _ids("AWS::EC2::VPCPeeringConnection"),
    ("AWS::EC2::VPC", "SubnetNetworkAcls"): _properties(
        "AWS::EC2::SubnetNetworkAclAssociation", "SubnetId"
    ),
    ("AWS::EC2::VPC", "Subnets"): _ids("AWS::EC2::Subnet"),
    ("AWS::FSx::FileSystem", "DataRepositoryAssociations"): _ids(
        "AWS::FSx::DataRepositoryAssociation"
    ),
    ("AWS::SNS::Topic", "Subscriptions"): _properties(
        "AWS::SNS::Subscription", "Protocol", "Endpoint"
    ),
    ("AWS::EKS::Cluster", "AccessEntries"): _access_entries,
    ("AWS::EKS::Cluster", "Addons"): _properties("AWS::EKS::Addon", "AddonName"),
    ("AWS::EKS::Cluster", "Nodegroups"): _nodegroups,
    ("AWS::EKS::Cluster", "PodIdentities"): _pod_identities,
}
"""What the templates declare, by type and kind of member (`clusterwright.aws.live_members`)."""


def member_drift(
    resources: Mapping[Key, ResourceVersion],
    values: PhysicalValues,
    physical_ids: Mapping[Key, str],
    live: Live,
) -> tuple[list[SpecChange], list[UncheckedPart]]:
    """The differences, and the kinds of members that could not be compared."""
    templates = _Templates(resources, values, physical_ids)
    found: list[SpecChange] = []
    partly: list[UncheckedPart] = []
    for (kind, name), members in live.items():
        declared = list(DECLARED[(kind, name)](templates))
        for key, side in resources.items():
            identifier = physical_ids.get(key)
            if side.type != kind or identifier is None or identifier not in members:
                continue
            path = f"{'/'.join(key)}.{name}"
            own = list(_own(side, name, values))
            wanted = {each for each in own if each is not UNRESOLVED}
            unknown = any(each is UNRESOLVED for each in (*declared, *own))
            there = members[identifier]
            found += [
                SpecChange(f"{path}[{each}]", "there", "deleted")
                for each in sorted(wanted - there.keys())
            ]
            if unknown:
                reason = "only CloudFormation knows those of the templates"
                partly.append(UncheckedPart(f"what was added to {path}", reason))
                continue
            found += [
                SpecChange(f"{path}[{each}]", None, there[each])
                for each in sorted(there.keys() - wanted - set(declared))
                if _SERVICE_ROLE not in each
            ]
    return found, partly


def _own(side: ResourceVersion, name: str, values: PhysicalValues) -> Iterator[Any]:
    """Members that are no resources: the default rules of EC2, subscriptions of a topic."""
    if name == "NetworkAclEntries":
        yield from _DEFAULT_ENTRIES
    if name == "Subscriptions":
        found = values.of(side.key[0], side.properties.get("Subscription") or [])
        for each in found if isinstance(found, list) else [UNRESOLVED]:
            yield _text(each, "Protocol", "Endpoint")


def _text(properties: Any, *names: str) -> Any:
    """The properties as one text; `UNRESOLVED` where one is not known."""
    if not isinstance(properties, Mapping):
        return UNRESOLVED
    parts = [properties.get(name) for name in names]
    return " ".join(map(str, parts)) if all(isinstance(e, str) for e in parts) else UNRESOLVED
