"""`Fn::GetAtt` answers for every attribute of a schema, or is refused before anything runs."""

from __future__ import annotations

from typing import Any

import pytest
from botocore.exceptions import ClientError

from clusterwright_localaws import local_aws
from clusterwright_localaws.cloudformation.resource_types import registry
from clusterwright_localaws.cloudformation.schema import resource_schema
from clusterwright_localaws.cloudformation.state import Resource
from clusterwright_localaws.cloudformation.store import store_at
from clusterwright_localaws.worlds.model import DEFAULT_ACCOUNT
from packages.localaws.tests import eks_templates, parts, pcs_templates
from packages.localaws.tests.cloudformation import every_type
from packages.localaws.tests.cloudformation.stacks import (
    ACCOUNT,
    REGION,
    aws,
    create,
    parameter,
    resource,
    template,
)
from packages.localaws.tests.eks_parts import build_eks_site
from packages.localaws.tests.fsx_templates import link, lustre, openzfs
from packages.localaws.tests.pcs_parts import build_pcs_site
from packages.localaws.tests.sagemaker_templates import cluster
from packages.localaws.tests.services.ec2 import network_template

# Present only with a setting that the templates below lack.
CONDITIONAL = {
    ("AWS::EC2::Instance", "PublicDnsName"),
    ("AWS::EC2::Instance", "PublicIp"),
    ("AWS::RDS::DBInstance", "MasterUserSecret.SecretArn"),
    ("AWS::Grafana::Workspace", "SsoClientId"),
    ("AWS::EKS::Cluster", "EncryptionConfigKeyArn"),
    ("AWS::EKS::Cluster", "KubernetesNetworkConfig.ServiceIpv6Cidr"),
    ("AWS::EKS::PodIdentityAssociation", "ExternalId"),
    ("AWS::SageMaker::ComputeQuota", "LastModifiedTime"),
}


@pytest.fixture(scope="module")
def resources() -> list[Resource]:
    """At least one resource of every supported type, as stored by the stacks."""
    found: list[Resource] = []
    with local_aws():
        every_type.make_assets()
        assert create("all", template(every_type.RESOURCES))["StackStatus"] == "CREATE_COMPLETE"
        aws("s3").create_bucket(Bucket="flow-logs")
        network = create("net", template(network_template.NETWORK))
        assert network["StackStatus"] == "CREATE_COMPLETE"
        inner = template({"P": parameter("x")}, Outputs={"P": {"Value": {"Ref": "P"}}})
        aws("s3").put_object(Bucket="flow-logs", Key="inner.json", Body=inner.encode())
        url = "https://flow-logs.s3.us-east-1.amazonaws.com/inner.json"
        signals = {
            "Inner": resource("AWS::CloudFormation::Stack", {"TemplateURL": url}),
            "Handle": resource("AWS::CloudFormation::WaitConditionHandle"),
            "Waited": resource(
                "AWS::CloudFormation::WaitCondition",
                {"Handle": {"Ref": "Handle"}, "Count": 0, "Timeout": "0"},
            ),
        }
        assert create("signals", template(signals))["StackStatus"] == "CREATE_COMPLETE"
        for name in ("all", "net", "signals"):
            found.extend(store_at(ACCOUNT, REGION).find(name).resources.values())
    with local_aws():
        site = parts.build_site()
        parts.open_lustre_ports(site)
        parts.client("s3").create_bucket(Bucket="corpus")
        volume = {
            "Name": "v",
            "VolumeType": "OPENZFS",
            "OpenZFSConfiguration": {"ParentVolumeId": {"Fn::GetAtt": ["Zfs", "RootVolumeId"]}},
        }
        storage = {
            **cluster(site, site.group("gpu", 1)),
            "Scratch": lustre(site),
            "Link": link(),
            "Zfs": openzfs(site),
            "Volume": resource("AWS::FSx::Volume", volume),
            "Head": resource(
                "AWS::EC2::Instance",
                {
                    "ImageId": "resolve:ssm:/aws/service/ami-amazon-linux-latest/"
                    "al2023-ami-kernel-default-x86_64",
                    "InstanceType": "m5.large",
                    "SubnetId": site.subnet_id,
                    "SecurityGroupIds": [site.group_id],
                },
            ),
        }
        assert parts.deploy("storage", storage)["StackStatus"] == "CREATE_COMPLETE"
        found.extend(store_at(DEFAULT_ACCOUNT, REGION).find("storage").resources.values())
    with local_aws():
        governed = eks_templates.template(build_eks_site())
        assert parts.deploy("eks", governed)["StackStatus"] == "CREATE_COMPLETE"
        found.extend(store_at(DEFAULT_ACCOUNT, REGION).find("eks").resources.values())
    with local_aws():
        managed = pcs_templates.template(build_pcs_site())
        assert parts.deploy("pcs", managed)["StackStatus"] == "CREATE_COMPLETE"
        found.extend(store_at(DEFAULT_ACCOUNT, REGION).find("pcs").resources.values())
    return found


def test_every_attribute_is_answered_or_listed_as_unsupported(resources: list[Resource]) -> None:
    answered: dict[str, set[str]] = {}
    for item in resources:
        answered.setdefault(item.type_name, set()).update(item.attributes)
    missing = []
    for kind, have in answered.items():
        schema = resource_schema(kind, REGION)
        if schema is None:
            continue
        names = {".".join(path) for path in schema.read_only if "*" not in path}
        # A name with names below it is not a value, and therefore not an attribute.
        names = {name for name in names if not any(n.startswith(f"{name}.") for n in names)}
        handler = registry()[kind]
        missing += [
            (kind, name)
            for name in sorted(names - have)
            if not handler.lacks(name) and (kind, name) not in CONDITIONAL
        ]
    assert missing == [], missing


def test_every_supported_type_is_tested(resources: list[Resource]) -> None:
    looked_at = {item.type_name for item in resources}
    supported = {name for name in registry() if not name.startswith("Custom::")}
    assert supported - looked_at == set()


def test_attributes_have_values(resources: list[Resource]) -> None:
    empty = [
        (item.type_name, name)
        for item in resources
        for name, value in item.attributes.items()
        if value in ("", None)
    ]
    assert empty == []


def test_listed_attributes_are_in_the_schema() -> None:
    wrong = []
    for kind, handler in registry().items():
        schema = resource_schema(kind, REGION)
        for name in handler.unsupported_attributes:
            assert schema is not None
            if not any(
                path[: len(name.split("."))] == tuple(name.split(".")) for path in schema.read_only
            ):
                wrong.append((kind, name))
    assert wrong == []


@pytest.mark.usefixtures("local")
@pytest.mark.parametrize("where", ["property", "output"])
def test_an_unsupported_type_is_refused_before_anything_is_created(where: str) -> None:
    asked = {"Fn::GetAtt": ["Vpc", "VpcEncryptionControl.State"]}
    body: dict[str, Any] = {"Vpc": resource("AWS::EC2::VPC", {"CidrBlock": "10.0.0.0/16"})}
    sections: dict[str, Any] = {}
    if where == "property":
        body["P"] = parameter(asked)
    else:
        sections["Outputs"] = {"State": {"Value": asked}}
    with pytest.raises(ClientError, match="does not support the attribute VpcEncryptionControl"):
        create("s", template(body, **sections))
