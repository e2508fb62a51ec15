"""With closed egress, exactly the services in use have endpoints."""

from __future__ import annotations

from typing import Any

from clusterwright.platforms.endpoints import GATEWAY_SERVICES, INTERFACE_SERVICES
from tests.stacks.templates import listed, properties
from tests.support.rich_specs import FULL, MINIMAL, changed
from tests.support.synthesis import Assembly, Build

# The calls of the cluster's components, with the IAM prefix in the execution role.
ENDPOINT_OF_IAM_PREFIX = {
    "aps": {"aps-workspaces"},
    "cloudwatch": {"monitoring"},
    "ec2": {"ec2"},
    "ecr": {"ecr.api", "ecr.dkr"},
    "fsx": {"fsx"},
    "kms": {"kms"},
    "logs": {"logs"},
    "s3": {"s3"},
    "s3express": {"s3express"},
    "secretsmanager": {"secretsmanager"},
    "sts": {"sts"},
    "ssmmessages": {"ssm", "ssmmessages", "ec2messages"},
}
WITHOUT_A_RIGHT = {"sts", "sagemaker.api"}


def services(assembly: Assembly, kind: str) -> set[str]:
    return {
        p["ServiceName"].removeprefix("com.amazonaws.us-east-1.")
        for p in properties(assembly, "AWS::EC2::VPCEndpoint")
        if p["VpcEndpointType"] == kind
    }


def role_prefixes(assembly: Assembly) -> set[str]:
    from tests.stacks.templates import statements

    return {
        action.split(":")[0]
        for where, statement in statements(assembly)
        if "NodeRoles" in where
        for action in listed(statement["Action"])
    }


def test_endpoints_match_the_services_that_the_role_can_call(build: Build) -> None:
    for spec in (MINIMAL, FULL, changed(MINIMAL, identity={"session_manager": False})):
        assembly = build(spec)
        wanted = set(WITHOUT_A_RIGHT)
        for prefix in role_prefixes(assembly):
            wanted |= ENDPOINT_OF_IAM_PREFIX[prefix]
        assert services(assembly, "Interface") | services(assembly, "Gateway") == wanted


def test_endpoint_exists_only_while_its_service_is_used(build: Build) -> None:
    assert "ecr.dkr" in services(build(FULL), "Interface")
    without = changed(
        FULL,
        slurm__containers={"pyxis": False},
        observability__prometheus=False,
        observability__grafana=None,
    )
    remaining = services(build(without), "Interface")
    assert not remaining & {"ecr.api", "ecr.dkr", "aps-workspaces"}
    assert "secretsmanager" in remaining
    assert "secretsmanager" not in services(build(MINIMAL), "Interface")
    scripted = changed(MINIMAL, slurm={"configuration": "scripted"})
    assert "secretsmanager" in services(build(scripted), "Interface"), "the munge key"


def test_nat_needs_only_the_gateway_endpoints(build: Build) -> None:
    assembly = build(changed(FULL, network__egress="nat"))
    assert services(assembly, "Interface") == set()
    assert services(assembly, "Gateway") == {"s3", "s3express"}


def test_interface_endpoints_have_private_dns_and_their_own_group(build: Build) -> None:
    for endpoint in properties(build(FULL), "AWS::EC2::VPCEndpoint"):
        if endpoint["VpcEndpointType"] == "Interface":
            assert endpoint["PrivateDnsEnabled"] is True
            assert len(endpoint["SecurityGroupIds"]) == 1


def test_endpoint_policies_allow_only_this_account(build: Build) -> None:
    for endpoint in properties(build(FULL), "AWS::EC2::VPCEndpoint"):
        foreign = [s for s in endpoint["PolicyDocument"]["Statement"] if not own_account(s)]
        if endpoint["ServiceName"].endswith(".s3"):
            (layers,) = foreign
            assert layers["Action"] == "s3:GetObject"
            assert layers["Resource"] == "arn:aws:s3:::prod-us-east-1-starport-layer-bucket/*"
        else:
            assert foreign == []


def own_account(statement: dict[str, Any]) -> bool:
    wanted = {"StringEquals": {"aws:PrincipalAccount": "111122223333"}}
    return bool(statement.get("Condition") == wanted)


def test_every_endpoint_has_a_reason() -> None:
    for service in (*INTERFACE_SERVICES, *GATEWAY_SERVICES):
        assert len(service.reason) > 10
    names = [service.name for service in INTERFACE_SERVICES]
    assert len(names) == len(set(names))
