"""Changes outside CloudFormation, and where `drift` shows or lists each of them."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tests.stacks.deployment import Account

ADMINISTRATOR = "arn:aws:iam::aws:policy/AdministratorAccess"
ANYTHING = {"Effect": "Allow", "Action": "*", "Resource": "*"}


class Changed:
    """The deployed resources by type, and the clients that change them."""

    def __init__(self, account: Account) -> None:
        self.client = account.client
        self.ids: dict[str, dict[str, str]] = {}
        """Physical ids by type and logical id."""
        cloudformation = account.client("cloudformation")
        for stack in cloudformation.describe_stacks()["Stacks"]:
            pages = cloudformation.get_paginator("list_stack_resources")
            for page in pages.paginate(StackName=stack["StackName"]):
                for each in page["StackResourceSummaries"]:
                    of_type = self.ids.setdefault(each["ResourceType"], {})
                    of_type[each["LogicalResourceId"]] = each["PhysicalResourceId"]

    def one(self, kind: str, name: str = "") -> str:
        """The first resource of a type whose logical id has this text."""
        found = self.ids[f"AWS::{kind}"]
        return next(there for logical, there in found.items() if name in logical)

    @property
    def vpc(self) -> str:
        return self.one("EC2::VPC")

    def network_acl(self) -> dict[str, Any]:
        found = self.client("ec2").describe_network_acls()["NetworkAcls"]
        return next(each for each in found if each["VpcId"] == self.vpc and each["IsDefault"])


@dataclass(frozen=True)
class Mutation:
    """A change; `shown` is a regular expression for `RESOURCE.PATH` of its difference, `listed`
    one for what is listed as not compared.
    """

    name: str
    apply: Callable[[Changed], Any]
    shown: str = ""
    listed: str = ""


def policy(**changes: Any) -> str:
    return json.dumps({"Version": "2012-10-17", "Statement": [{**ANYTHING, **changes}]})


def _attach(to: Changed) -> None:
    role = to.one("IAM::Role", "NodeLogsRole")
    to.client("iam").attach_role_policy(RoleName=role, PolicyArn=ADMINISTRATOR)


def _inline(to: Changed) -> None:
    role = to.one("IAM::Role", "NodeLogsRole")
    to.client("iam").put_role_policy(
        RoleName=role, PolicyName="more", PolicyDocument=policy(Action="s3:*")
    )


def _changed_policy(to: Changed) -> None:
    iam, role = to.client("iam"), to.one("IAM::Role", "controller")
    name = iam.list_role_policies(RoleName=role)["PolicyNames"][0]
    iam.put_role_policy(RoleName=role, PolicyName=name, PolicyDocument=policy())


def _removed_policy(to: Changed) -> None:
    iam, role = to.client("iam"), to.one("IAM::Role", "workers")
    name = iam.list_role_policies(RoleName=role)["PolicyNames"][0]
    iam.delete_role_policy(RoleName=role, PolicyName=name)


def _trust(to: Changed) -> None:
    other = {"Effect": "Allow", "Action": "sts:AssumeRole", "Principal": {"AWS": "999999999999"}}
    to.client("iam").update_assume_role_policy(
        RoleName=to.one("IAM::Role", "FlowLogsRole"),
        PolicyDocument=json.dumps({"Version": "2012-10-17", "Statement": [other]}),
    )


def _boundary(to: Changed) -> None:
    to.client("iam").put_role_permissions_boundary(
        RoleName=to.one("IAM::Role", "workers"), PermissionsBoundary=ADMINISTRATOR
    )


def _acl_entry(to: Changed) -> None:
    to.client("ec2").create_network_acl_entry(
        NetworkAclId=to.network_acl()["NetworkAclId"],
        RuleNumber=50,
        Protocol="-1",
        RuleAction="deny",
        Egress=False,
        CidrBlock="10.0.0.0/8",
    )


def _acl_default(to: Changed) -> None:
    to.client("ec2").delete_network_acl_entry(
        NetworkAclId=to.network_acl()["NetworkAclId"], RuleNumber=100, Egress=True
    )


def _acl_of_subnet(to: Changed) -> None:
    ec2 = to.client("ec2")
    made = ec2.create_network_acl(VpcId=to.vpc)["NetworkAcl"]["NetworkAclId"]
    there = to.network_acl()["Associations"][0]["NetworkAclAssociationId"]
    ec2.replace_network_acl_association(AssociationId=there, NetworkAclId=made)


def _peering(to: Changed) -> None:
    ec2 = to.client("ec2")
    other = ec2.create_vpc(CidrBlock="10.99.0.0/16")["Vpc"]["VpcId"]
    made = ec2.create_vpc_peering_connection(VpcId=to.vpc, PeerVpcId=other)
    connection = made["VpcPeeringConnection"]["VpcPeeringConnectionId"]
    ec2.accept_vpc_peering_connection(VpcPeeringConnectionId=connection)


def _name_servers(to: Changed) -> None:
    ec2 = to.client("ec2")
    servers = [{"Key": "domain-name-servers", "Values": ["10.2.5.1"]}]
    made = ec2.create_dhcp_options(DhcpConfigurations=servers)["DhcpOptions"]["DhcpOptionsId"]
    ec2.associate_dhcp_options(DhcpOptionsId=made, VpcId=to.vpc)


def _endpoint_policy(to: Changed) -> None:
    to.client("ec2").modify_vpc_endpoint(
        VpcEndpointId=to.one("EC2::VPCEndpoint", "Kms"), PolicyDocument=policy(Principal="*")
    )


def _bucket_policy(to: Changed) -> None:
    name = to.one("S3::Bucket", "Bucket0")
    only = policy(
        Effect="Deny", Principal="*", Action="s3:DeleteBucket", Resource=f"arn:aws:s3:::{name}"
    )
    to.client("s3").put_bucket_policy(Bucket=name, Policy=only)


def _public_access(to: Changed) -> None:
    to.client("s3").delete_public_access_block(Bucket=to.one("S3::Bucket", "Bucket0"))


def _notifications(to: Changed) -> None:
    to.client("s3").put_bucket_notification_configuration(
        Bucket=to.one("S3::Bucket", "Bucket0"),
        NotificationConfiguration={"EventBridgeConfiguration": {}},
    )


def _key_policy(to: Changed) -> None:
    key, name = to.one("KMS::Key"), "default"
    to.client("kms").put_key_policy(KeyId=key, PolicyName=name, Policy=policy(Principal="*"))


def _grant(to: Changed) -> None:
    to.client("kms").create_grant(
        KeyId=to.one("KMS::Key"),
        GranteePrincipal=f"arn:aws:iam::{'9' * 12}:root",
        Operations=["Decrypt"],
    )


def _data_repository(to: Changed) -> None:
    to.client("s3").create_bucket(Bucket="test-other")
    to.client("fsx").create_data_repository_association(
        FileSystemId=to.one("FSx::FileSystem", "Lustre"),
        FileSystemPath="/other",
        DataRepositoryPath="s3://test-other/data",
    )


def _repository_policy(to: Changed) -> None:
    to.client("fsx").update_data_repository_association(
        AssociationId=to.one("FSx::DataRepositoryAssociation"),
        S3={"AutoExportPolicy": {"Events": ["DELETED"]}},
    )


def _subscription(to: Changed) -> None:
    to.client("sns").subscribe(
        TopicArn=to.one("SNS::Topic"), Protocol="email", Endpoint="other@example.com"
    )


def _topic_policy(to: Changed) -> None:
    topic = to.one("SNS::Topic")
    to.client("sns").set_topic_attributes(
        TopicArn=topic,
        AttributeName="Policy",
        AttributeValue=policy(Principal="*", Action="sns:Publish", Resource=topic),
    )


def _subscription_filter(to: Changed) -> None:
    functions = to.client("lambda").list_functions()["Functions"]
    to.client("logs").put_subscription_filter(
        logGroupName=to.one("Logs::LogGroup"),
        filterName="other",
        filterPattern="",
        destinationArn=functions[0]["FunctionArn"],
    )


def _invocation(to: Changed) -> None:
    to.client("lambda").add_permission(
        FunctionName=to.one("Lambda::Function"),
        StatementId="other",
        Action="lambda:InvokeFunction",
        Principal="*",
    )


def _recovery(to: Changed) -> None:
    """UpdateCluster takes whole groups."""
    sagemaker = to.client("sagemaker")
    kept = (
        "InstanceGroupName",
        "InstanceType",
        "LifeCycleConfig",
        "ExecutionRole",
        "ThreadsPerCore",
        "InstanceStorageConfigs",
        "SlurmConfig",
    )
    groups = [
        {name: group[name] for name in kept if name in group}
        | {"InstanceCount": group["TargetCount"]}
        for group in sagemaker.describe_cluster(ClusterName="test")["InstanceGroups"]
    ]
    sagemaker.update_cluster(ClusterName="test", InstanceGroups=groups, NodeRecovery="None")


def _other(service: str, operation: str, **parameters: Any) -> Callable[[Changed], Any]:
    return lambda to: getattr(to.client(service), operation)(
        **{k: v(to) if callable(v) else v for k, v in parameters.items()}
    )


def _id(kind: str, name: str = "") -> Callable[[Changed], str]:
    return lambda to: to.one(kind, name)


def _ids(kind: str, name: str = "") -> Callable[[Changed], list[str]]:
    return lambda to: [to.one(kind, name)]


VPC = r"test-network/Vpc\."
MUTATIONS = (
    Mutation(
        "a policy attached to a role",
        _attach,
        rf"NodeLogsRole\w+\.ManagedPolicyArns\[{ADMINISTRATOR}\]",
    ),
    Mutation("an inline policy added to a role", _inline, r"NodeLogsRole\w+\.Policies\[more\]"),
    Mutation(
        "a policy of another resource changed",
        _changed_policy,
        r"controller\w+\.Policies\[\w+\]\.Statement",
    ),
    Mutation("an inline policy removed", _removed_policy, r"workers\w+\.Policies\[\w+\]$"),
    Mutation("a trust policy", _trust, r"FlowLogsRole\w+\.AssumeRolePolicyDocument\.Statement"),
    Mutation("a boundary", _boundary, r"workers\w+\.PermissionsBoundary"),
    Mutation(
        "an entry of the network ACL",
        _acl_entry,
        VPC + r"NetworkAclEntries\[inbound: deny all traffic from 10\.0",
    ),
    Mutation(
        "a default entry of the network ACL",
        _acl_default,
        VPC + r"NetworkAclEntries\[outbound: allow all",
    ),
    Mutation("the network ACL of a subnet", _acl_of_subnet, VPC + r"SubnetNetworkAcls\[subnet-"),
    Mutation("a peering connection", _peering, VPC + r"PeeringConnections\[pcx-"),
    Mutation("name servers", _name_servers, VPC + r"NameServers\[10\.2\.5\.1\]"),
    Mutation(
        "a block of addresses",
        _other("ec2", "associate_vpc_cidr_block", VpcId=_id("EC2::VPC"), CidrBlock="10.7.0.0/16"),
        VPC + r"CidrBlocks\[10\.7\.0\.0/16\]",
    ),
    Mutation(
        "a subnet",
        _other("ec2", "create_subnet", VpcId=_id("EC2::VPC"), CidrBlock="10.0.200.0/24"),
        VPC + r"Subnets\[subnet-",
    ),
    Mutation(
        "an endpoint",
        _other(
            "ec2",
            "create_vpc_endpoint",
            VpcId=_id("EC2::VPC"),
            ServiceName="com.amazonaws.us-east-1.dynamodb",
        ),
        VPC + r"Endpoints\[vpce-",
    ),
    Mutation("the policy of an endpoint", _endpoint_policy, r"EndpointsKms\w+\.PolicyDocument"),
    Mutation(
        "public addresses in a subnet",
        _other(
            "ec2",
            "modify_subnet_attribute",
            SubnetId=_id("EC2::Subnet", "Nodes"),
            MapPublicIpOnLaunch={"Value": True},
        ),
        r"NodesSubnet\.MapPublicIpOnLaunch",
    ),
    Mutation(
        "flow logs",
        _other("ec2", "delete_flow_logs", FlowLogIds=_ids("EC2::FlowLog")),
        listed=r"AWS::EC2::FlowLog: ",
    ),
    Mutation("the policy of a bucket", _bucket_policy, r"Bucket0Policy\w+\.PolicyDocument"),
    Mutation(
        "public access to a bucket", _public_access, r"Bucket0\w+\.PublicAccessBlockConfiguration"
    ),
    Mutation(
        "notifications of a bucket", _notifications, listed=r"configurations of buckets .*Bucket0"
    ),
    Mutation("the policy of a key", _key_policy, r"Key\w+\.KeyPolicy\.Statement"),
    Mutation("a grant of a key", _grant, listed=r"grants of a key: test-identity/Key"),
    Mutation(
        "rotation of a key",
        _other("kms", "disable_key_rotation", KeyId=_id("KMS::Key")),
        r"Key\w+\.EnableKeyRotation",
    ),
    Mutation(
        "an added data repository",
        _data_repository,
        r"Lustre\w+\.DataRepositoryAssociations\[dra-",
    ),
    Mutation(
        "the events of a data repository",
        _repository_policy,
        r"Repository\w+\.S3\.AutoExportPolicy",
    ),
    Mutation(
        "a subscription", _subscription, r"Alarms\.Subscriptions\[email other@example\.com\]"
    ),
    Mutation("the policy of a topic", _topic_policy, listed=r"AWS::SNS::TopicPolicy: "),
    Mutation(
        "disabled alarms",
        _other(
            "cloudwatch",
            "disable_alarm_actions",
            AlarmNames=_ids("CloudWatch::Alarm", "NearlyFull"),
        ),
        r"NearlyFull\.ActionsEnabled",
    ),
    Mutation(
        "the retention of logs",
        _other(
            "logs", "put_retention_policy", logGroupName=_id("Logs::LogGroup"), retentionInDays=1
        ),
        r"\.RetentionInDays",
    ),
    Mutation(
        "a subscription filter",
        _subscription_filter,
        listed=r"subscription filters and metric filters",
    ),
    Mutation("who invokes a function", _invocation, listed=r"who may invoke a function"),
    Mutation(
        "a public database",
        _other(
            "rds",
            "modify_db_instance",
            DBInstanceIdentifier=_id("RDS::DBInstance"),
            PubliclyAccessible=True,
        ),
        listed=r"AWS::RDS::DBInstance: ",
    ),
    Mutation(
        "the policy of a secret",
        _other(
            "secretsmanager",
            "put_resource_policy",
            SecretId=_id("SecretsManager::Secret"),
            ResourcePolicy=policy(Principal={"AWS": "111122223333"}),
        ),
        listed=r"resource policies of secrets: ",
    ),
    Mutation("the recovery of nodes", _recovery, r"test-cluster/Cluster\.NodeRecovery"),
    Mutation(
        "termination protection",
        _other(
            "cloudformation",
            "update_termination_protection",
            StackName="test-network",
            EnableTerminationProtection=True,
        ),
        listed="termination protection",
    ),
)
