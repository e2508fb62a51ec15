"""Members by type; the local AWS lists others in tests/cli/test_drift.py."""

from __future__ import annotations

from typing import Any

from botocore.stub import Stubber

from clusterwright.aws.live_members import CLUSTER, MEMBERS, VPC
from clusterwright.aws.session import AwsSession


def entry(number: int, action: str, **more: Any) -> dict[str, Any]:
    rule = {"RuleNumber": number, "RuleAction": action, "Protocol": "-1", "Egress": False}
    return {**rule, **({} if "Ipv6CidrBlock" in more else {"CidrBlock": "0.0.0.0/0"}), **more}


def test_entries_of_the_default_network_acl(session: AwsSession) -> None:
    entries = [
        entry(100, "allow"),
        entry(101, "allow", Ipv6CidrBlock="::/0"),
        entry(110, "deny", Ipv6CidrBlock="::/0"),
        entry(50, "deny", Protocol="6", PortRange={"From": 988, "To": 988}, Egress=True),
        entry(32767, "deny"),
        entry(32768, "deny", Ipv6CidrBlock="::/0"),
    ]
    acl = {"NetworkAclId": "acl-1", "VpcId": "vpc-1", "IsDefault": True, "Entries": entries}
    answer = {"NetworkAcls": [acl, {**acl, "VpcId": "vpc-2"}, {**acl, "IsDefault": False}]}
    with Stubber(session.client("ec2")) as stub:
        stub.add_response("describe_network_acls", answer)
        found = MEMBERS[VPC, "NetworkAclEntries"](session, ["vpc-1"])
    assert found == {
        "vpc-1": {
            "inbound: allow all traffic from 0.0.0.0/0": "rule 100",
            "inbound: deny all traffic from an IPv6 range": "rule 110",
            "outbound: deny protocol 6 988-988 to 0.0.0.0/0": "rule 50",
        }
    }


def test_peering_connections_of_either_side(session: AwsSession) -> None:
    def connection(name: str, left: str, right: str, state: str) -> dict[str, Any]:
        return {
            "VpcPeeringConnectionId": name,
            "RequesterVpcInfo": {"VpcId": left},
            "AccepterVpcInfo": {"VpcId": right},
            "Status": {"Code": state},
        }

    answer = {
        "VpcPeeringConnections": [
            connection("pcx-1", "vpc-1", "vpc-9", "active"),
            connection("pcx-2", "vpc-9", "vpc-1", "pending-acceptance"),
            connection("pcx-3", "vpc-9", "vpc-1", "deleted"),
            connection("pcx-4", "vpc-8", "vpc-9", "active"),
        ]
    }
    with Stubber(session.client("ec2")) as stub:
        stub.add_response("describe_vpc_peering_connections", answer)
        found = MEMBERS[VPC, "PeeringConnections"](session, ["vpc-1"])
    assert found == {
        "vpc-1": {"pcx-1": "with vpc-9, active", "pcx-2": "with vpc-9, pending-acceptance"}
    }


def test_pod_identities_of_addons_are_theirs(session: AwsSession) -> None:
    own = {"namespace": "default", "serviceAccount": "train"}
    of_addon = {"namespace": "kube-system", "serviceAccount": "aws-node", "ownerArn": "arn"}
    with Stubber(session.client("eks")) as stub:
        stub.add_response("list_pod_identity_associations", {"associations": [own, of_addon]})
        found = MEMBERS[CLUSTER, "PodIdentities"](session, ["train"])
    assert found == {"train": {"default/train": "added"}}


def test_a_cluster_that_is_gone_is_absent(session: AwsSession) -> None:
    with Stubber(session.client("eks")) as stub:
        stub.add_client_error("list_addons", "ResourceNotFoundException")
        assert MEMBERS[CLUSTER, "Addons"](session, ["train"]) == {}
