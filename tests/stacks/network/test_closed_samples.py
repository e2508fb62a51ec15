"""A closed network: samples of nodes reach the workspace through the endpoint, and not without it.

The local AWS has no network between nodes and services. What a request of a node meets on its way
is therefore asked of the deployed network: its route table, the service's endpoint with private
names, the rules of both security groups, and the endpoint's policy. A request that passes is
sent, with the credentials of the node's role, where IAM is enforced.
"""

from __future__ import annotations

import json
import secrets
import time
from collections.abc import Iterator
from typing import Any

import boto3
import pytest
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials
from moto.core.botocore_stubber import BotocoreStubber

from clusterwright_localaws import local_aws
from clusterwright_localaws.testing import (
    Caller,
    Policies,
    Request,
    RequestContext,
    evaluate,
    read_policy,
)
from packages.localaws.tests.services.amp.prometheus_requests import samples_of, write_request
from tests.stacks.deployment import Account, bootstrapped
from tests.support.rich_specs import ACCOUNT, MINIMAL, changed
from tests.support.synthesis import Build

REGION = "us-east-1"
SERVICE = f"com.amazonaws.{REGION}.aps-workspaces"
HOST = f"aps-workspaces.{REGION}.amazonaws.com"
STRANGER = "arn:aws:iam::999988887777:role/copies-data"


class Unreachable(Exception):
    """No packet of the node gets to the service."""


class Node:
    """A node of a group: its subnet and security groups, and the role of its instance."""

    def __init__(self, account: Account, group: str) -> None:
        self.account, self.ec2 = account, account.client("ec2")
        cluster = account.client("sagemaker").describe_cluster(ClusterName="test")
        self.groups = cluster["VpcConfig"]["SecurityGroupIds"]
        (self.subnet,) = cluster["VpcConfig"]["Subnets"]
        self.role = next(
            one["ExecutionRole"]
            for one in cluster["InstanceGroups"]
            if one["InstanceGroupName"] == group
        )
        self._keys = self._credentials()

    def write(self, workspace: str, caller: str | None = None) -> tuple[int, str]:
        """Send a sample as the role of the node, or as `caller`.

        Raises
        ------
        Unreachable
            The network has no way to the service.
        """
        endpoint = self._endpoint()
        arn = f"arn:aws:aps:{REGION}:{ACCOUNT}:workspace/{workspace}"
        if not _policy_allows(endpoint["PolicyDocument"], caller or self.role, arn):
            return 403, f"the endpoint's policy does not allow {caller} aps:RemoteWrite"
        url = f"https://{HOST}/workspaces/{workspace}/api/v1/remote_write"
        body = write_request(({"__name__": "up", "node": "n1"}, 1.0, time.time_ns() // 1_000_000))
        asked = AWSRequest("POST", url, data=body)
        found = self.account.client("sts").assume_role(RoleArn=self.role, RoleSessionName="node")[
            "Credentials"
        ]
        keys = (found["AccessKeyId"], found["SecretAccessKey"], found["SessionToken"])
        SigV4Auth(Credentials(*keys), "aps", REGION).add_auth(asked)
        status, _, answered = BotocoreStubber().process_request(asked.prepare())
        return status, answered if isinstance(answered, str) else answered.decode()

    def _credentials(self) -> dict[str, Any]:
        """What SageMaker puts on the instance; here a user of the account assumes the role."""
        iam, role = self.account.client("iam"), self.role.rpartition("/")[2]
        may = {"Effect": "Allow", "Action": "sts:AssumeRole"}
        iam.update_assume_role_policy(
            RoleName=role,
            PolicyDocument=_document(
                {**may, "Principal": {"AWS": f"arn:aws:iam::{ACCOUNT}:root"}}
            ),
        )
        user = iam.create_user(UserName=f"as-{secrets.token_hex(4)}")["User"]["UserName"]
        iam.put_user_policy(
            UserName=user, PolicyName="assume", PolicyDocument=_document({**may, "Resource": "*"})
        )
        key = iam.create_access_key(UserName=user)["AccessKey"]
        sts = boto3.client(
            "sts",
            REGION,
            aws_access_key_id=key["AccessKeyId"],
            aws_secret_access_key=key["SecretAccessKey"],
        )
        answered = sts.assume_role(RoleArn=self.role, RoleSessionName="node")
        return dict(answered["Credentials"])

    def _endpoint(self) -> dict[str, Any]:
        """The endpoint to which the service's public name resolves in the node's network."""
        (subnet,) = self.ec2.describe_subnets(SubnetIds=[self.subnet])["Subnets"]
        of_subnet = [{"Name": "association.subnet-id", "Values": [self.subnet]}]
        (table,) = self.ec2.describe_route_tables(Filters=of_subnet)["RouteTables"]
        outward = [
            one for one in table["Routes"] if one.get("DestinationCidrBlock") == "0.0.0.0/0"
        ]
        assert outward == [], "a closed network has no other way"
        found = [
            one
            for one in self.ec2.describe_vpc_endpoints()["VpcEndpoints"]
            if (one["ServiceName"], one["VpcId"]) == (SERVICE, subnet["VpcId"])
        ]
        found = [one for one in found if one["State"] == "available"]
        if not found or not found[0]["PrivateDnsEnabled"]:
            raise Unreachable(f"{HOST} resolves to a public address, and there is no route to it")
        theirs = [group["GroupId"] for group in found[0]["Groups"]]
        if not self._may_connect(self.groups, theirs, "IpPermissionsEgress"):
            raise Unreachable("the node's security groups do not let it connect")
        if not self._may_connect(theirs, self.groups, "IpPermissions"):
            raise Unreachable("the endpoint's security groups do not let the node connect")
        return dict(found[0])

    def _may_connect(self, groups: list[str], others: list[str], rules: str) -> bool:
        described = self.ec2.describe_security_groups(GroupIds=groups)["SecurityGroups"]
        return any(
            rule["IpProtocol"] == "-1" or rule.get("FromPort", 0) <= 443 <= rule.get("ToPort", 0)
            for group in described
            for rule in group[rules]
            if any(pair["GroupId"] in others for pair in rule["UserIdGroupPairs"])
            or any(block["CidrIp"] == "0.0.0.0/0" for block in rule["IpRanges"])
        )


def _document(statement: dict[str, Any]) -> str:
    return json.dumps({"Version": "2012-10-17", "Statement": [statement]})


def _policy_allows(document: str, role: str, resource: str) -> bool:
    """Whether the endpoint's policy lets a role pass, whatever that role may do itself."""
    account = role.split(":")[4]
    request = Request(
        Caller("role", account, role_arn=role),
        "aps:RemoteWrite",
        resource,
        RequestContext({"aws:PrincipalAccount": account}),
    )
    policy = read_policy(document, kind="resource")
    return bool(evaluate(request, Policies(resource=policy, resource_must_allow=True)).allowed)


@pytest.fixture(scope="module")
def account(build: Build) -> Iterator[Account]:
    with local_aws(iam="enforced"):
        found = bootstrapped()
        found.deploy(build(changed(MINIMAL, observability={"prometheus": True})))
        yield found


def test_samples_reach_the_workspace_only_through_the_endpoint(account: Account) -> None:
    amp, ec2 = account.client("amp"), account.client("ec2")
    (found,) = amp.list_workspaces()["workspaces"]
    workspace = str(found["workspaceId"])
    kept = samples_of(ACCOUNT, REGION, workspace)
    node = Node(account, "workers")
    for count, group in enumerate(("controller", "workers"), 1):
        assert Node(account, group).write(workspace)[0] == 200
        assert kept.request_count == count

    # Behind the endpoint the role has the right for its own workspace only.
    status, text = node.write(amp.create_workspace()["workspaceId"])
    assert (status, "is not authorized to perform: aps:RemoteWrite" in text) == (403, True)

    # Keys of another account, with which somebody would carry data away, do not pass.
    assert node.write(workspace, STRANGER)[0] == 403

    (endpoint,) = [
        one
        for one in ec2.describe_vpc_endpoints()["VpcEndpoints"]
        if one["ServiceName"] == SERVICE
    ]
    for each in endpoint["Groups"]:
        (group,) = ec2.describe_security_groups(GroupIds=[each["GroupId"]])["SecurityGroups"]
        rules = {"GroupId": each["GroupId"], "IpPermissions": group["IpPermissions"]}
        ec2.revoke_security_group_ingress(**rules)
        with pytest.raises(Unreachable, match="the endpoint's security groups"):
            node.write(workspace)
        ec2.authorize_security_group_ingress(**rules)
    assert node.write(workspace)[0] == 200

    ec2.delete_vpc_endpoints(VpcEndpointIds=[endpoint["VpcEndpointId"]])
    with pytest.raises(Unreachable, match="there is no route to it"):
        node.write(workspace)
    assert kept.request_count == 3
