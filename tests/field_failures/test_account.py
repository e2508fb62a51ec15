"""Failures caused by the account: keys, permissions, roles, bootstrap, stacks, routes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.field_failures import deployment
from tests.field_failures.changes import EKS, SLURM, written
from tests.field_failures.parts import ACCOUNT, REGION, House, account, check, checked, client
from tests.support import specs
from tests.support.synthesis import Build

LAUNCHER = (
    f"arn:aws:iam::{ACCOUNT}:role/aws-service-role/autoscaling.amazonaws.com/"
    "AWSServiceRoleForAutoScaling"
)
EXECUTION_ROLE = f"cdk-hnb659fds-cfn-exec-role-{ACCOUNT}-{REGION}"
CDK_ROLES = ("deploy", "file-publishing", "image-publishing", "lookup", "cfn-exec")
ROOT = {
    "Effect": "Allow",
    "Principal": {"AWS": f"arn:aws:iam::{ACCOUNT}:root"},
    "Action": "kms:*",
    "Resource": "*",
}
ALL_TRAFFIC = [{"IpProtocol": "-1", "IpRanges": [{"CidrIp": "0.0.0.0/0"}]}]


def document(*statements: dict[str, Any]) -> str:
    return json.dumps({"Version": "2012-10-17", "Statement": list(statements)})


def bootstrapped(*rights: dict[str, Any], boundary: dict[str, Any] | None = None) -> None:
    """Resources of `cdk bootstrap`, with the permissions of CloudFormation's role."""
    iam = client("iam")
    name = deployment.BOOTSTRAP_VERSION
    client("ssm").put_parameter(Name=name, Value="30", Type="String", Overwrite=True)
    bucket = f"cdk-hnb659fds-assets-{ACCOUNT}-{REGION}"
    if bucket not in [one["Name"] for one in client("s3").list_buckets()["Buckets"]]:
        client("s3").create_bucket(Bucket=bucket)
    trust = document(
        {
            "Effect": "Allow",
            "Principal": {"Service": "cloudformation.amazonaws.com"},
            "Action": "sts:AssumeRole",
        }
    )
    for kind in CDK_ROLES:
        role = f"cdk-hnb659fds-{kind}-role-{ACCOUNT}-{REGION}"
        more = {}
        if kind == "cfn-exec" and boundary is not None:
            policy = iam.create_policy(PolicyName="boundary", PolicyDocument=document(boundary))
            more = {"PermissionsBoundary": policy["Policy"]["Arn"]}
        iam.create_role(RoleName=role, AssumeRolePolicyDocument=trust, **more)
    everything = {"Effect": "Allow", "Action": "*", "Resource": "*"}
    iam.put_role_policy(
        RoleName=EXECUTION_ROLE,
        PolicyName="all",
        PolicyDocument=document(*(rights or (everything,))),
    )


def test_eks_module_1619_key_allows_auto_scaling(tmp_path: Path, build: Build) -> None:
    """Auto Scaling's role encrypts the volumes of nodes, so a key's policy must name it."""
    with account():
        kms = client("kms")
        # Statements that name individual roles, as in restrictive policies.
        narrow = {**ROOT, "Action": ["kms:Describe*", "kms:Put*", "kms:List*"]}
        key = kms.create_key(Policy=document(narrow))["KeyMetadata"]["Arn"]
        path = written(tmp_path, {"identity.kms_key_arn": key})
        messages = check(path, "--only", "CW-I008").messages("CW-I008")
        (found,) = [text for text in messages if "AWSServiceRoleForAutoScaling" in text]
        assert "kms:CreateGrant" in found
        assert "it launches the nodes of EKS" in found
        kms.put_key_policy(KeyId=key, PolicyName="default", Policy=document(ROOT))
        again = check(path, "--only", "CW-I008").messages("CW-I008")
        assert len([text for text in again if "AWSServiceRoleForAutoScaling" in text]) <= 1
        launcher = {
            "Effect": "Allow",
            "Principal": {"AWS": "*"},
            "Action": "kms:*",
            "Resource": "*",
            "Condition": {"ArnEquals": {"aws:PrincipalArn": LAUNCHER}},
        }
        kms.put_key_policy(KeyId=key, PolicyName="default", Policy=document(ROOT, launcher))
        last = check(path, "--only", "CW-I008").messages("CW-I008")
        assert not [text for text in last if "AWSServiceRoleForAutoScaling" in text]


def test_eks_module_3013_key_policies_name_no_role_that_may_not_exist(build: Build) -> None:
    """KMS refuses a policy whose principal does not exist: Auto Scaling's role in a new account.

    The created key allows it by a condition on its name, which is valid before the role exists.
    """
    for base in (SLURM, EKS):
        for key in build(base).resources("AWS::KMS::Key").values():
            for statement in key["Properties"]["KeyPolicy"]["Statement"]:
                principal = statement["Principal"]
                names = json.dumps(principal.get("AWS", "")) if principal != "*" else ""
                assert ":role/" not in names
                assert ":user/" not in names
    policy = json.dumps(
        [k["Properties"]["KeyPolicy"] for k in build(EKS).resources("AWS::KMS::Key").values()]
    )
    assert LAUNCHER in policy


def test_eks_module_823_service_linked_roles_can_be_created(tmp_path: Path) -> None:
    path = written(tmp_path, {})
    with account():
        bootstrapped({"Effect": "Allow", "NotAction": "iam:*", "Resource": "*"})
        messages = check(path, "--only", "CW-I013").messages("CW-I013")
        assert any("AWSServiceRoleForAmazonEKSNodegroup" in text for text in messages), messages
    with account():
        bootstrapped()
        assert check(path, "--only", "CW-I013").findings == []


def test_dataall_1233_roles_have_the_required_boundary(tmp_path: Path, build: Build) -> None:
    """Every role, including those of custom resources.

    CloudFormation's own boundary counts too.
    """
    boundary = f"arn:aws:iam::{ACCOUNT}:policy/everybody"
    bounded = {"identity.permissions_boundary_arn": boundary}
    slurm = specs.changed({**bounded, "slurm.users": [{"name": "a", "uid": 20001}]}, base=SLURM)
    eks = specs.changed(bounded, base=EKS)
    for base, least in ((slurm, 3), (eks, 4)):
        roles = build(base).resources("AWS::IAM::Role")
        assert len(roles) >= least
        for name, role in roles.items():
            assert role["Properties"].get("PermissionsBoundary") == boundary, name
    with account():
        limits = {"Effect": "Allow", "NotAction": "iam:CreateRole", "Resource": "*"}
        bootstrapped(boundary=limits)
        messages = checked(tmp_path, {}, "--only", "CW-I011").messages("CW-I011")
        assert any("iam:CreateRole: the permissions boundary" in text for text in messages), (
            messages
        )
    with account():
        bootstrapped()
        assert checked(tmp_path, {}, "--only", "CW-I011").findings == []


def test_stacksets_327_bootstrap_is_checked_before_deployment(tmp_path: Path) -> None:
    with account():
        found = checked(tmp_path, {}, "--only", "CW-I010").one("CW-I010")
        assert "is not bootstrapped in us-east-1" in found["message"]
        assert found["hint"].startswith("`cdk bootstrap -c config=")
        bootstrapped()
        assert checked(tmp_path, {}, "--only", "CW-I010").findings == []
        client("ssm").put_parameter(
            Name=deployment.BOOTSTRAP_VERSION, Value="5", Type="String", Overwrite=True
        )
        assert "has version 5" in checked(tmp_path, {}).one("CW-I010")["message"]


def test_cdk_18261_missing_bootstrap_bucket_is_found(tmp_path: Path) -> None:
    """Deleted manually; bootstrapping again then reports no changes."""
    with account():
        bootstrapped()
        client("s3").delete_bucket(Bucket=f"cdk-hnb659fds-assets-{ACCOUNT}-{REGION}")
        found = checked(tmp_path, {}, "--only", "CW-I010").one("CW-I010")
    assert found["severity"] == "error"
    assert (
        "of the bootstrap stack, to which templates and scripts are uploaded, does not exist"
        in found["message"]
    )
    assert found["hint"].startswith("delete the stack CDKToolkit in us-east-1")


@pytest.mark.parametrize("protected", [True, False])
def test_cdk_901_stack_that_cannot_be_updated_is_found(tmp_path: Path, protected: bool) -> None:
    """A failed first deployment.

    the CDK deletes its stack, which termination protection refuses.
    """
    refused = {"Type": "String", "Value": "x", "Name": "aws-begins-no-name"}
    template = {"Resources": {"P": {"Type": "AWS::SSM::Parameter", "Properties": refused}}}
    with account():
        cloudformation = client("cloudformation")
        cloudformation.create_stack(
            StackName="test-network",
            TemplateBody=json.dumps(template),
            EnableTerminationProtection=protected,
        )
        identity = cloudformation.describe_stacks(StackName="test-network")["Stacks"][0]["StackId"]
        assert deployment._settled(identity, 0).status == "ROLLBACK_COMPLETE"
        found = checked(tmp_path, {}, "--only", "CW-E007").of("CW-E007")
    if not protected:
        assert found == [], "cdk deploy deletes it and goes on"
        return
    (finding,) = found
    assert finding["message"].startswith("the stack test-network is ROLLBACK_COMPLETE")
    assert "--no-enable-termination-protection" in finding["hint"]


class Private(House):
    """A private network: no egress path except those that a test adds."""

    def __init__(self) -> None:
        super().__init__()
        self.allow("inbound")
        self.allow("outbound")
        table = self.ec2.create_route_table(VpcId=self.vpc)["RouteTable"]["RouteTableId"]
        self.ec2.associate_route_table(RouteTableId=table, SubnetId=self.subnet)
        self.table = table

    def eks(self, folder: Path) -> Path:
        planes = [
            self.ec2.create_subnet(VpcId=self.vpc, CidrBlock=cidr, AvailabilityZoneId=zone)
            for cidr, zone in (("10.0.144.0/20", "use1-az1"), ("10.0.160.0/20", "use1-az2"))
        ]
        network = self.spec()["network"]
        network["existing"]["control_plane_subnet_ids"] = [
            one["Subnet"]["SubnetId"] for one in planes
        ]
        return written(folder, {"network": network})

    def endpoint(self, service: str, *groups: str) -> None:
        self.ec2.create_vpc_endpoint(
            VpcId=self.vpc,
            ServiceName=f"com.amazonaws.{REGION}.{service}",
            VpcEndpointType="Interface",
            SubnetIds=[self.subnet],
            SecurityGroupIds=list(groups) or [self.group],
            PrivateDnsEnabled=True,
        )

    def s3(self) -> None:
        self.ec2.create_vpc_endpoint(
            VpcId=self.vpc,
            ServiceName=f"com.amazonaws.{REGION}.s3",
            VpcEndpointType="Gateway",
            RouteTableIds=[self.table],
        )

    def default_route(self, kind: str) -> None:
        gateway = self.ec2.create_internet_gateway()["InternetGateway"]["InternetGatewayId"]
        self.ec2.attach_internet_gateway(InternetGatewayId=gateway, VpcId=self.vpc)
        target = {"GatewayId": gateway}
        if kind == "nat":
            outside = self.add_subnet(self.vpc, "10.0.192.0/24")
            address = self.ec2.allocate_address(Domain="vpc")["AllocationId"]
            nat = self.ec2.create_nat_gateway(SubnetId=outside, AllocationId=address)
            target = {"NatGatewayId": nat["NatGateway"]["NatGatewayId"]}
        self.ec2.create_route(RouteTableId=self.table, DestinationCidrBlock="0.0.0.0/0", **target)


def test_eks_module_2474_private_nodes_reach_required_services(tmp_path: Path) -> None:
    with account():
        house = Private()
        path = house.eks(tmp_path)
        (message,) = check(path, "--only", "CW-N022").messages("CW-N022")
        assert message.startswith(f"nodes in {house.subnet} cannot reach ")
        for service in ("s3", "ecr.api", "ecr.dkr", "ec2", "sts", "eks-auth"):
            assert service in message
        needed = message.partition("cannot reach ")[2].partition(": ")[0]
        for service in needed.replace(" and ", ", ").split(", "):
            house.s3() if service == "s3" else house.endpoint(service)
        assert check(path, "--only", "CW-N022").findings == []


def test_eks_module_3113_endpoint_that_blocks_the_nodes_is_found(tmp_path: Path) -> None:
    """One endpoint with private DNS takes over the name of a service for the whole VPC."""
    with account():
        house = Private()
        house.default_route("nat")
        path = house.eks(tmp_path)
        assert check(path, "--only", "CW-N022,CW-N023").findings == []
        other = house.ec2.create_security_group(
            GroupName="others", Description="others", VpcId=house.vpc
        )["GroupId"]
        house.endpoint("ec2", other)
        found = check(path, "--only", "CW-N023").one("CW-N023")
        assert "ec2" in found["message"]
        pairs = [{"GroupId": house.group}]
        house.ec2.authorize_security_group_ingress(
            GroupId=other,
            IpPermissions=[
                {"IpProtocol": "tcp", "FromPort": 443, "ToPort": 443, "UserIdGroupPairs": pairs}
            ],
        )
        assert check(path, "--only", "CW-N023").findings == []


def test_eksctl_2834_public_subnet_is_no_egress_path_for_nodes(tmp_path: Path) -> None:
    """Without public addresses nodes cannot use an internet gateway.

    with several cards they get none.
    """
    with account():
        house = Private()
        path = house.eks(tmp_path)
        house.default_route("internet")
        (message,) = check(path, "--only", "CW-N022").messages("CW-N022")
        assert "which nodes without public addresses cannot use" in message
        house.ec2.modify_subnet_attribute(
            SubnetId=house.subnet, MapPublicIpOnLaunch={"Value": True}
        )
        found = check(path, "--only", "CW-N012").one("CW-N012")
        assert found["message"] == f"{house.subnet} assigns public addresses at launch"
    with account():
        house = Private()
        path = house.eks(tmp_path)
        house.default_route("nat")
        assert check(path, "--only", "CW-N012,CW-N022").findings == []


def test_crt_s3_benchmarks_42_s3_traffic_bypasses_the_nat_gateway(
    tmp_path: Path, build: Build
) -> None:
    """Terabytes of S3 traffic through a NAT gateway are charged per GB.

    a gateway endpoint is free.
    """
    with account():
        house = Private()
        path = house.eks(tmp_path)
        house.default_route("nat")
        found = check(path, "--only", "CW-N028").one("CW-N028")
        assert "goes through nat-" in found["message"]
        assert f"--route-table-ids {house.table}" in found["hint"]
        house.s3()
        assert check(path, "--only", "CW-N028").findings == []
    # A created network has the endpoint, with and without a NAT gateway.
    for egress in ("nat", "closed"):
        assembly = build(specs.changed({"network.egress": egress}, base=EKS))
        kinds = [
            one["Properties"]
            for one in assembly.resources("AWS::EC2::VPCEndpoint").values()
            if one["Properties"]["VpcEndpointType"] == "Gateway"
        ]
        gateways = [one for one in kinds if json.dumps(one["ServiceName"]).endswith('.s3"')]
        assert gateways, kinds
        assert all(one["RouteTableIds"] for one in gateways)


def test_eksctl_1646_networks_and_addresses_are_counted_before_deployment(tmp_path: Path) -> None:
    """A new account can have five VPCs and five Elastic IP addresses, some of which are in use."""
    nat = {"network.egress": "nat"}
    with account("new-account"):
        assert checked(tmp_path, nat, "--only", "CW-Q040,CW-Q041").findings == []
        there = len(client("ec2").describe_vpcs()["Vpcs"])
        for number in range(5):
            client("ec2").allocate_address(Domain="vpc")
            if number >= there:
                client("ec2").create_vpc(CidrBlock=f"10.{100 + number}.0.0/16")
        found = checked(tmp_path, nat, "--only", "CW-Q040,CW-Q041")
        vpcs, addresses = found.one("CW-Q040"), found.one("CW-Q041")
    assert (vpcs["limit"], addresses["limit"]) == (5, 5)
    assert vpcs["used"] >= 5
    assert addresses["used"] == 5


def test_eks_module_2346_remaining_resources_with_the_same_name_are_found(tmp_path: Path) -> None:
    """The alias of a key exists until the key is deleted, and the name of a secret is reserved."""
    scripted = {"slurm.configuration": "scripted", "resilience.node_provisioning": "all-at-once"}
    rules = "CW-E004,CW-E005"
    with account():
        assert checked(tmp_path, scripted, "--only", rules).findings == []
        kms, secrets = client("kms"), client("secretsmanager")
        key = kms.create_key()["KeyMetadata"]["KeyId"]
        kms.create_alias(AliasName="alias/test", TargetKeyId=key)
        kms.schedule_key_deletion(KeyId=key, PendingWindowInDays=7)
        secrets.create_secret(Name="test/munge-key", SecretString="x")
        secrets.delete_secret(SecretId="test/munge-key")
        found = checked(tmp_path, scripted, "--only", rules)
    assert "alias/test" in found.one("CW-E004")["message"]
    secret = found.one("CW-E005")
    assert "scheduled for deletion and keeps its name" in secret["message"]
    assert "--force-delete-without-recovery" in secret["hint"]


def test_eks_module_1262_existing_cluster_of_the_same_name_is_found(tmp_path: Path) -> None:
    path = written(tmp_path, {})
    with account():
        assert check(path, "--only", "CW-E008").findings == []
        house = House()
        subnets = [
            house.add_subnet(house.vpc, "10.0.144.0/20", "use1-az1"),
            house.add_subnet(house.vpc, "10.0.160.0/20", "use1-az2"),
        ]
        trust = document(
            {
                "Effect": "Allow",
                "Principal": {"Service": "eks.amazonaws.com"},
                "Action": ["sts:AssumeRole", "sts:TagSession"],
            }
        )
        role = client("iam").create_role(RoleName="plane", AssumeRolePolicyDocument=trust)
        client("eks").create_cluster(
            name="test",
            roleArn=role["Role"]["Arn"],
            resourcesVpcConfig={"subnetIds": subnets},
        )
        found = check(path, "--only", "CW-E008").one("CW-E008")
    assert "test" in found["message"]


def test_klotho_311_missing_accelerator_vcpu_quota_is_found(tmp_path: Path) -> None:
    """A new account has a quota of 0 for P instances; the node group never gets a node."""
    path = written(tmp_path, {})
    with account("new-account"):
        found = [
            one
            for one in check(path, "--only", "CW-Q020").of("CW-Q020")
            if one["path"].startswith("compute[1]") or "P instances" in one["message"]
        ]
        assert found
        assert found[0]["limit"] == 0
        assert found[0]["requested"] == 2 * 16, "of two p5.4xlarge"
    with account():
        assert check(path, "--only", "CW-Q020").findings == []


def test_fsx_csi_120_file_system_security_groups_allow_the_nodes(tmp_path: Path) -> None:
    """Nodes have the security group of an existing file system, whose rules for port 988 were
    removed.
    """
    with account():
        house = House()
        house.allow("inbound")
        house.allow("outbound")
        files = house.ec2.create_security_group(
            GroupName="files", Description="files", VpcId=house.vpc
        )["GroupId"]
        own = [{"IpProtocol": "-1", "UserIdGroupPairs": [{"GroupId": files}]}]
        house.ec2.authorize_security_group_ingress(GroupId=files, IpPermissions=own)
        fsx = client("fsx").create_file_system(
            FileSystemType="LUSTRE",
            StorageCapacity=1200,
            SubnetIds=[house.subnet],
            SecurityGroupIds=[files],
            LustreConfiguration={"DeploymentType": "SCRATCH_2"},
        )["FileSystem"]
        existing = {
            "id": fsx["FileSystemId"],
            "dns_name": fsx["DNSName"],
            "mount_name": fsx["LustreConfiguration"]["MountName"],
            "security_group_id": files,
        }
        spec = {**house.spec(), "storage.lustre": [{"mount_path": "/fsx", "existing": existing}]}
        assert checked(tmp_path, spec, "--only", "CW-S023").findings == []
        house.ec2.revoke_security_group_ingress(GroupId=files, IpPermissions=own)
        (closed,) = checked(tmp_path, spec, "--only", "CW-S023").findings
    assert "988" in closed["message"] + closed["hint"]


def test_eks_kubeflow_91_deploying_role_can_use_linked_buckets(tmp_path: Path) -> None:
    """FSx requires permissions on the bucket of the principal that creates the association."""
    link = {"s3": "s3://acme-out/run", "path": "/out", "export": ["NEW"]}
    files = {"storage.lustre": [{**specs.LUSTRE, "repositories": [link]}]}
    everything = {"Effect": "Allow", "Action": "*", "Resource": "*"}
    others = {
        "Effect": "Deny",
        "Action": ["s3:GetObject", "s3:PutObject", "s3:ListBucket"],
        "NotResource": ["arn:aws:s3:::cdk-*", "arn:aws:s3:::team-*"],
    }
    with account():
        bootstrapped(everything, others)
        messages = checked(tmp_path, files, "--only", "CW-I011").messages("CW-I011")
        assert any("s3:PutObject" in text for text in messages), messages
        assert checked(tmp_path, {}, "--only", "CW-I011").findings == []
    with account():
        bootstrapped()
        assert checked(tmp_path, files, "--only", "CW-I011").findings == []


@pytest.mark.parametrize("action", ["logs:CreateLogGroup", "iam:CreateRole"])
def test_parallelcluster_28_deploying_role_without_a_permission_is_found(
    tmp_path: Path, action: str
) -> None:
    """Creation fails at the first resource that the identity may not create."""
    everything = {"Effect": "Allow", "Action": "*", "Resource": "*"}
    with account():
        bootstrapped(everything, {"Effect": "Deny", "Action": action, "Resource": "*"})
        messages = checked(tmp_path, {}, "--only", "CW-I011").messages("CW-I011")
        assert f"{EXECUTION_ROLE} is not allowed {action}: a policy denies it" in messages
    with account():
        bootstrapped()
        assert checked(tmp_path, {}, "--only", "CW-I011").findings == []


def test_terraform_eks_41_control_plane_in_one_zone_is_found(tmp_path: Path) -> None:
    with account():
        house = Private()
        path = house.eks(tmp_path)
        assert check(path, "--only", "CW-N027").findings == []
        network = house.spec()["network"]
        network["existing"]["control_plane_subnet_ids"] = [
            house.add_subnet(house.vpc, cidr, "use1-az1")
            for cidr in ("10.0.200.0/24", "10.0.201.0/24")
        ]
        found = check(written(tmp_path, {"network": network}), "--only", "CW-N027").one("CW-N027")
    assert found["severity"] == "error"
    assert "all subnets of the control plane are in use1-az1" in found["message"]


def test_rancher_28144_subnet_of_another_vpc_is_found(tmp_path: Path) -> None:
    with account():
        house = House()
        assert checked(tmp_path, house.spec(), "--only", "CW-N007").findings == []
        vpc = house.ec2.create_vpc(CidrBlock="10.8.0.0/16")["Vpc"]["VpcId"]
        other = house.add_subnet(vpc, "10.8.0.0/17")
        found = checked(tmp_path, house.spec(other), "--only", "CW-N007").one("CW-N007")
    assert found["severity"] == "error"
    assert other in found["message"]
    assert vpc in found["message"]


def test_2i2c_5101_rules_of_a_security_group_are_counted(tmp_path: Path) -> None:
    quota = "vpc/L-0EA8095F"
    with account(quotas={quota: 3}):
        found = checked(tmp_path, {}, "--only", "CW-Q046").one("CW-Q046")
        assert (found["severity"], found["limit"]) == ("error", 3)
        assert found["requested"] > 3
    with account(quotas={quota: found["requested"]}):
        assert checked(tmp_path, {}, "--only", "CW-Q046").findings == []
