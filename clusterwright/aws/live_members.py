"""What belongs to a live resource but is none of its properties: subnets of a VPC, subscriptions.

A reader returns, by the physical id of the resource, its members: an identifier of each, and words
for a person.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

from clusterwright.aws.ec2.routes import AclEntry, name_servers, network_acls
from clusterwright.aws.errors import none_if_not_found
from clusterwright.aws.session import AwsSession

Members = Mapping[str, Mapping[str, str]]
Reader = Callable[[AwsSession, Sequence[str]], Members]

_RESOLVER: Final = "AmazonProvidedDNS"
_EVERYTHING: Final = ("-1", "all")
_LAST_RULE: Final = 32767
"""The number of the rule that denies what no other allows, which EC2 shows as `*`."""


def _listed(
    session: AwsSession,
    ids: Sequence[str],
    operation: str,
    key: str,
    vpc_filter: str,
    found: Callable[[Mapping[str, Any]], Iterator[tuple[str | None, str, str]]],
) -> Members:
    """Items by a filter for VPCs; `found` gives VPC, identifier and words of each."""
    members: dict[str, dict[str, str]] = {each: {} for each in ids}
    filters = [{"Name": vpc_filter, "Values": list(ids)}]
    for item in session.items("ec2", operation, key, Filters=filters):
        for vpc, name, words in found(item):
            if vpc in members:
                members[vpc][name] = words
    return members


def _subnets(session: AwsSession, ids: Sequence[str]) -> Members:
    def found(item: Mapping[str, Any]) -> Iterator[tuple[str | None, str, str]]:
        yield item["VpcId"], item["SubnetId"], str(item.get("CidrBlock"))

    return _listed(session, ids, "DescribeSubnets", "Subnets", "vpc-id", found)


def _endpoints(session: AwsSession, ids: Sequence[str]) -> Members:
    def found(item: Mapping[str, Any]) -> Iterator[tuple[str | None, str, str]]:
        if str(item.get("State", "")).lower() not in ("deleted", "deleting", "rejected"):
            yield item["VpcId"], item["VpcEndpointId"], str(item.get("ServiceName"))

    return _listed(session, ids, "DescribeVpcEndpoints", "VpcEndpoints", "vpc-id", found)


def _nat_gateways(session: AwsSession, ids: Sequence[str]) -> Members:
    members: dict[str, dict[str, str]] = {each: {} for each in ids}
    filters = [{"Name": "vpc-id", "Values": list(ids)}]
    for item in session.items("ec2", "DescribeNatGateways", "NatGateways", Filter=filters):
        if item.get("State") not in ("deleted", "deleting", "failed"):
            members[item["VpcId"]][item["NatGatewayId"]] = str(item.get("SubnetId"))
    return members


def _internet_gateways(session: AwsSession, ids: Sequence[str]) -> Members:
    def found(item: Mapping[str, Any]) -> Iterator[tuple[str | None, str, str]]:
        for attachment in item.get("Attachments") or ():
            yield attachment.get("VpcId"), item["InternetGatewayId"], "attached"

    operation = "DescribeInternetGateways"
    return _listed(session, ids, operation, "InternetGateways", "attachment.vpc-id", found)


def _peering_connections(session: AwsSession, ids: Sequence[str]) -> Members:
    """From either side; a request that was not accepted yet counts."""
    members: dict[str, dict[str, str]] = {each: {} for each in ids}
    operation, key = "DescribeVpcPeeringConnections", "VpcPeeringConnections"
    for item in session.items("ec2", operation, key):
        state = (item.get("Status") or {}).get("Code")
        if state not in ("active", "pending-acceptance", "provisioning"):
            continue
        pair = [(item.get(side) or {}).get("VpcId") for side in _SIDES]
        for vpc, other in (pair, pair[::-1]):
            if vpc in members:
                members[vpc][item["VpcPeeringConnectionId"]] = f"with {other}, {state}"
    return members


_SIDES: Final = ("RequesterVpcInfo", "AccepterVpcInfo")


def _cidr_blocks(session: AwsSession, ids: Sequence[str]) -> Members:
    """The blocks beside the first one, IPv6 included."""

    def found(item: Mapping[str, Any]) -> Iterator[tuple[str | None, str, str]]:
        for name in ("CidrBlock", "Ipv6CidrBlock"):
            for each in item.get(f"{name}AssociationSet") or ():
                state = (each.get(f"{name}State") or {}).get("State", "associated")
                if state == "associated" and each.get(name) != item.get("CidrBlock"):
                    yield item["VpcId"], str(each.get(name)), state

    return _listed(session, ids, "DescribeVpcs", "Vpcs", "vpc-id", found)


def _name_servers(session: AwsSession, ids: Sequence[str]) -> Members:
    """The name servers of the DHCP options, except the VPC's own resolver."""
    return {
        each: {
            server: "in the DHCP options"
            for server in name_servers(session, each) or ()
            if server != _RESOLVER
        }
        for each in ids
    }


def _acl_entries(session: AwsSession, ids: Sequence[str]) -> Members:
    """Rules of the VPC's default network ACL in words, without the last one, which denies.

    EC2 has the rules that allow all IPv6 traffic in VPCs with IPv6; they are left out.
    https://docs.aws.amazon.com/vpc/latest/userguide/default-network-acl.html
    """
    members: dict[str, dict[str, str]] = {each: {} for each in ids}
    for acl in network_acls(session):
        if acl.vpc_id in members and acl.default:
            members[acl.vpc_id] |= {
                _words(entry): f"rule {entry.number}"
                for entry in acl.entries
                if entry.number < _LAST_RULE and not _allows_all_ipv6(entry)
            }
    return members


def _subnet_acls(session: AwsSession, ids: Sequence[str]) -> Members:
    """Subnets with another network ACL than the default one of their VPC."""
    members: dict[str, dict[str, str]] = {each: {} for each in ids}
    for acl in network_acls(session):
        if acl.vpc_id in members and not acl.default:
            members[acl.vpc_id] |= dict.fromkeys(acl.subnet_ids, acl.id)
    return members


def _allows_all_ipv6(entry: AclEntry) -> bool:
    return entry.allow and entry.cidr is None and entry.protocol in _EVERYTHING


def _words(entry: AclEntry) -> str:
    direction = "outbound" if entry.outbound else "inbound"
    ports = "" if entry.first_port is None else f" {entry.first_port}-{entry.last_port}"
    verb = "allow" if entry.allow else "deny"
    everything = entry.protocol in _EVERYTHING
    what = "all traffic" if everything else f"protocol {entry.protocol}{ports}"
    peer = "to" if entry.outbound else "from"
    return f"{direction}: {verb} {what} {peer} {entry.cidr or 'an IPv6 range'}"


def _associations(session: AwsSession, ids: Sequence[str]) -> Members:
    members: dict[str, dict[str, str]] = {each: {} for each in ids}
    for page in session.pages("fsx", "DescribeDataRepositoryAssociations"):
        for each in page.get("Associations") or ():
            if each.get("FileSystemId") in members:
                words = f"{each.get('FileSystemPath')} from {each.get('DataRepositoryPath')}"
                members[each["FileSystemId"]][each["AssociationId"]] = words
    return members


def _subscriptions(session: AwsSession, ids: Sequence[str]) -> Members:
    """Protocol and endpoint: one that was not confirmed yet has no ARN."""
    found = {}
    for topic in ids:
        items = _topic_subscriptions(session, topic)
        if items is not None:
            found[topic] = {f"{e['Protocol']} {e['Endpoint']}": "subscribed" for e in items}
    return found


@none_if_not_found()
def _topic_subscriptions(session: AwsSession, topic: str) -> list[Mapping[str, Any]] | None:
    key = "Subscriptions"
    return list(session.items("sns", "ListSubscriptionsByTopic", key, TopicArn=topic))


def _eks(operation: str, key: str) -> Reader:
    """Names that EKS lists for a cluster; a cluster that does not exist is absent."""

    @none_if_not_found()
    def names(session: AwsSession, cluster: str) -> list[Any] | None:
        return list(session.items("eks", operation, key, clusterName=cluster))

    def read(session: AwsSession, ids: Sequence[str]) -> Members:
        found = {cluster: names(session, cluster) for cluster in ids}
        return {
            cluster: {_name(each): "added" for each in items if not _is_of_addon(each)}
            for cluster, items in found.items()
            if items is not None
        }

    return read


def _is_of_addon(item: Any) -> bool:
    """A pod identity that EKS made for an add-on, which is compared itself."""
    return isinstance(item, Mapping) and bool(item.get("ownerArn"))


def _name(item: Any) -> str:
    if isinstance(item, Mapping):  # of a pod identity
        return f"{item.get('namespace')}/{item.get('serviceAccount')}"
    return str(item)


VPC: Final = "AWS::EC2::VPC"
FILE_SYSTEM: Final = "AWS::FSx::FileSystem"
CLUSTER: Final = "AWS::EKS::Cluster"
TOPIC: Final = "AWS::SNS::Topic"

MEMBERS: Final[Mapping[tuple[str, str], Reader]] = {
    (VPC, "CidrBlocks"): _cidr_blocks,
    (VPC, "Endpoints"): _endpoints,
    (VPC, "InternetGateways"): _internet_gateways,
    (VPC, "NameServers"): _name_servers,
    (VPC, "NatGateways"): _nat_gateways,
    (VPC, "NetworkAclEntries"): _acl_entries,
    (VPC, "PeeringConnections"): _peering_connections,
    (VPC, "SubnetNetworkAcls"): _subnet_acls,
    (VPC, "Subnets"): _subnets,
    (FILE_SYSTEM, "DataRepositoryAssociations"): _associations,
    (TOPIC, "Subscriptions"): _subscriptions,
    (CLUSTER, "AccessEntries"): _eks("ListAccessEntries", "accessEntries"),
    (CLUSTER, "Addons"): _eks("ListAddons", "addons"),
    (CLUSTER, "Nodegroups"): _eks("ListNodegroups", "nodegroups"),
    (CLUSTER, "PodIdentities"): _eks("ListPodIdentityAssociations", "associations"),
}
"""Readers by CloudFormation type and by what they read."""
