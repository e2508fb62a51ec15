"""Every supported type in one stack: created, described through its API, changed, and deleted."""

from __future__ import annotations

import ast
import inspect
import json
import re
import sys
from collections.abc import Collection, Iterator, Mapping
from typing import Any

import pytest

from clusterwright_localaws import local_aws
from clusterwright_localaws.cloudformation.resource_types import registry
from clusterwright_localaws.cloudformation.schema import resource_schema
from packages.localaws.tests.cloudformation import every_type
from packages.localaws.tests.cloudformation.stacks import (
    ACCOUNT,
    REGION,
    aws,
    cloudformation,
    create,
    delete,
    described,
    history,
    outputs,
    resources_of,
    template,
    update,
)
from packages.localaws.tests.handlers import own_tags

TEAM = {"Key": "team", "Value": "training"}


@pytest.fixture(scope="class")
def calls() -> list[Mapping[str, Any]]:
    """The calls that created the stack of `ids`, as `--record` writes them."""
    return []


class Log:
    """Keeps the calls of CloudFormation."""

    def __init__(self, calls: list[Mapping[str, Any]]) -> None:
        self.calls = calls

    def write(self, line: Mapping[str, Any], secrets: Collection[str] = ()) -> None:
        if line["source"] == "cloudformation":
            self.calls.append(line)


@pytest.fixture(scope="class")
def ids(calls: list[Mapping[str, Any]]) -> Iterator[dict[str, str]]:
    """The physical ids of the stack `all`, created once for read-only tests."""
    with local_aws() as runtime:
        every_type.make_assets()
        body = template(every_type.RESOURCES, Outputs=every_type.OUTPUTS)
        runtime.recorder = Log(calls)
        stack = create("all", body, Tags=[TEAM])
        runtime.recorder = None
        assert stack["StackStatus"] == "CREATE_COMPLETE", stack.get("StackStatusReason")
        yield {name: one["PhysicalResourceId"] for name, one in resources_of("all").items()}


class TestCreated:
    def test_outputs_match_the_services(self, ids: dict[str, str]) -> None:
        found = outputs(described("all"))
        database = aws("rds").describe_db_instances(DBInstanceIdentifier=ids["Db"])
        assert found["DbHost"] == database["DBInstances"][0]["Endpoint"]["Address"]
        assert found["DeployedTo"] == f"arn:aws:s3:::{ids['Bucket']}"
        workspace = aws("amp").describe_workspace(workspaceId=ids["Metrics"].rsplit("/", 1)[-1])
        assert found["MetricsUrl"] == workspace["workspace"]["prometheusEndpoint"]
        repository = aws("ecr").describe_repositories(repositoryNames=[ids["Repository"]])
        assert found["RepositoryUri"] == repository["repositories"][0]["repositoryUri"]
        assert found["FunctionArn"].endswith(f":function:{ids['Function']}")
        assert found["ExpressArn"] == (
            f"arn:aws:s3express:{REGION}:{ACCOUNT}:bucket/{ids['Express']}"
        )
        assert found["LaunchVersion"] == "1"
        assert found["PlacementName"] == ids["Placement"]

    def test_types_whose_schema_says_so_have_the_tags_of_cloudformation(
        self, ids: dict[str, str], calls: list[Mapping[str, Any]]
    ) -> None:
        texts = [json.dumps(call["parameters"], default=str) for call in calls]
        values = re.compile(r'"aws:cloudformation:logical-id"(?:: |, "(?:Tag)?[Vv]alue": )"(\w+)"')
        tagged = {name for text in texts for name in values.findall(text)}
        expected = {
            name
            for name, definition in every_type.RESOURCES.items()
            if (schema := resource_schema(definition["Type"], REGION)) and schema.takes_system_tags
        }
        assert tagged == expected

    def test_bucket_has_its_properties(self, ids: dict[str, str]) -> None:
        s3, name = aws("s3"), ids["Bucket"]
        (rule,) = s3.get_bucket_encryption(Bucket=name)["ServerSideEncryptionConfiguration"][
            "Rules"
        ]
        assert rule["ApplyServerSideEncryptionByDefault"]["KMSMasterKeyID"].endswith(ids["Key"])
        assert s3.get_bucket_versioning(Bucket=name)["Status"] == "Enabled"
        (rule,) = s3.get_bucket_lifecycle_configuration(Bucket=name)["Rules"]
        assert rule["Filter"] == {"Prefix": "old/"}
        assert rule["Expiration"] == {"Days": 30}
        assert rule["Transitions"] == [{"Days": 0, "StorageClass": "INTELLIGENT_TIERING"}]
        assert rule["NoncurrentVersionExpiration"] == {"NoncurrentDays": 7}
        assert s3.get_bucket_logging(Bucket=name)["LoggingEnabled"]["TargetPrefix"] == "access/"
        block = s3.get_public_access_block(Bucket=name)["PublicAccessBlockConfiguration"]
        assert set(block.values()) == {True}
        statement = json.loads(s3.get_bucket_policy(Bucket=name)["Policy"])["Statement"][0]
        assert statement["Effect"] == "Deny"
        assert TEAM in s3.get_bucket_tagging(Bucket=name)["TagSet"]
        keys = {content["Key"] for content in s3.list_objects_v2(Bucket=name)["Contents"]}
        assert keys == {"lifecycle/index.py", "lifecycle/sub/on_create.sh"}

    def test_directory_bucket_has_its_properties(self, ids: dict[str, str]) -> None:
        name = ids["Express"]
        assert name.endswith(f"--{every_type.ZONE_ID}--x-s3")
        assert aws("s3").head_bucket(Bucket=name)["ResponseMetadata"]["HTTPStatusCode"] == 200
        tags = aws("s3control").list_tags_for_resource(
            AccountId=ACCOUNT, ResourceArn=outputs(described("all"))["ExpressArn"]
        )
        assert own_tags(tags["Tags"]) == [TEAM]

    def test_roles_and_profiles_have_their_properties(self, ids: dict[str, str]) -> None:
        iam, role = aws("iam"), ids["Role"]
        attached = iam.list_attached_role_policies(RoleName=role)["AttachedPolicies"]
        arns = {item["PolicyArn"] for item in attached}
        assert arns == {
            "arn:aws:iam::aws:policy/AmazonSageMakerClusterInstanceRolePolicy",
            ids["Managed"],
        }
        assert set(iam.list_role_policies(RoleName=role)["PolicyNames"]) == {"inline", "shared"}
        profile = iam.get_instance_profile(InstanceProfileName=ids["Profile"])["InstanceProfile"]
        assert [entry["RoleName"] for entry in profile["Roles"]] == [role]
        assert iam.list_role_tags(RoleName=role)["Tags"] == [TEAM]

    def test_key_alias_and_log_group_have_their_properties(self, ids: dict[str, str]) -> None:
        kms = aws("kms")
        key = kms.describe_key(KeyId="alias/all")["KeyMetadata"]
        assert key["KeyId"] == ids["Key"]
        assert kms.get_key_rotation_status(KeyId=ids["Key"])["KeyRotationEnabled"]
        (group,) = aws("logs").describe_log_groups(logGroupNamePrefix=ids["Logs"])["logGroups"]
        assert (group["retentionInDays"], group["kmsKeyId"]) == (30, key["Arn"])

    def test_capacity_reservation_has_its_properties(self, ids: dict[str, str]) -> None:
        ec2 = aws("ec2")
        (reservation,) = ec2.describe_capacity_reservations(
            CapacityReservationIds=[ids["Reservation"]]
        )["CapacityReservations"]
        assert reservation["TotalInstanceCount"] == 2
        assert reservation["AvailabilityZoneId"] == every_type.ZONE_ID
        assert own_tags(reservation["Tags"]) == [TEAM]
        (group,) = ec2.describe_placement_groups(GroupNames=[ids["Placement"]])["PlacementGroups"]
        assert (group["Strategy"], group["Tags"]) == ("cluster", [TEAM])
        (version,) = ec2.describe_launch_template_versions(LaunchTemplateId=ids["Launch"])[
            "LaunchTemplateVersions"
        ]
        data = version["LaunchTemplateData"]
        assert data["NetworkInterfaces"][0]["InterfaceType"] == "efa"
        assert data["MetadataOptions"]["HttpTokens"] == "required"

    def test_database_and_secret_have_their_properties(self, ids: dict[str, str]) -> None:
        (db,) = aws("rds").describe_db_instances(DBInstanceIdentifier=ids["Db"])["DBInstances"]
        assert (db["Engine"], db["AllocatedStorage"], db["MasterUsername"]) == (
            "mysql",
            20,
            "slurm",
        )
        assert db["DBSubnetGroup"]["DBSubnetGroupName"] == ids["DbSubnets"]
        assert [group["VpcSecurityGroupId"] for group in db["VpcSecurityGroups"]] == [ids["Group"]]
        assert own_tags(db["TagList"]) == [TEAM]
        secrets = aws("secretsmanager")
        value = json.loads(secrets.get_secret_value(SecretId=ids["Secret"])["SecretString"])
        assert (value["username"], len(value["password"])) == ("slurm", 32)
        assert (value["host"], value["port"]) == (
            db["Endpoint"]["Address"],
            db["Endpoint"]["Port"],
        )
        assert value["dbname"] == "slurm_acct_db"

    def test_passwords_are_not_shown(self, ids: dict[str, str]) -> None:
        secrets = aws("secretsmanager")
        value = json.loads(secrets.get_secret_value(SecretId=ids["Secret"])["SecretString"])
        pages = cloudformation().get_paginator("describe_stack_events").paginate(StackName="all")
        events = [stack_event for page in pages for stack_event in page["StackEvents"]]
        shown = json.dumps([event.get("ResourceProperties", "") for event in events])
        assert "{{resolve:secretsmanager:" in shown
        assert value["password"] not in shown

    def test_function_has_its_properties(self, ids: dict[str, str]) -> None:
        functions = aws("lambda")
        found = functions.get_function_configuration(FunctionName=ids["Function"])
        assert (found["MemorySize"], found["Runtime"]) == (256, "python3.13")
        assert [layer["Arn"] for layer in found["Layers"]] == [ids["Layer"]]
        assert found["Environment"]["Variables"] == {"SIZE": "b"}
        policy = json.loads(functions.get_policy(FunctionName=ids["Inline"])["Policy"])
        assert policy["Statement"][0]["Principal"] == {"Service": "secretsmanager.amazonaws.com"}
        answer = functions.invoke(FunctionName=ids["Inline"])
        assert answer["FunctionError"]
        assert "does not run them" in json.load(answer["Payload"])["errorMessage"]

    def test_topic_alarms_and_dashboard_have_their_properties(self, ids: dict[str, str]) -> None:
        topic = aws("sns").get_topic_attributes(TopicArn=ids["Topic"])["Attributes"]
        assert topic["KmsMasterKeyId"] == ids["Key"]
        assert "budgets.amazonaws.com" in topic["Policy"]
        (subscription,) = aws("sns").list_subscriptions_by_topic(TopicArn=ids["Topic"])[
            "Subscriptions"
        ]
        assert subscription["Endpoint"] == "a@example.com"
        (alarm,) = aws("cloudwatch").describe_alarms(AlarmNames=[ids["Alarm"]])["MetricAlarms"]
        assert alarm["AlarmActions"] == [ids["Topic"]]
        budget = aws("budgets").describe_budget(AccountId=ACCOUNT, BudgetName=ids["Budget"])
        assert float(budget["Budget"]["BudgetLimit"]["Amount"]) == 1000

    def test_queue_and_event_rules_have_their_properties(self, ids: dict[str, str]) -> None:
        queue = aws("sqs").get_queue_attributes(QueueUrl=ids["Warnings"], AttributeNames=["All"])
        attributes = queue["Attributes"]
        assert attributes["MessageRetentionPeriod"] == "300"
        assert "events.amazonaws.com" in attributes["Policy"]
        events = aws("events")
        assert events.describe_rule(Name=ids["Rule"])["Description"] == "warnings"
        (target,) = events.list_targets_by_rule(Rule=ids["Rule"])["Targets"]
        assert target["Arn"] == attributes["QueueArn"]
        tags = events.list_tags_for_resource(
            ResourceARN=events.describe_rule(Name=ids["Rule"])["Arn"]
        )
        assert TEAM in tags["Tags"]
        assert aws("sqs").list_queue_tags(QueueUrl=ids["Warnings"])["Tags"]["team"] == "training"

    def test_default_security_group_has_no_rules(self, ids: dict[str, str]) -> None:
        (group,) = aws("ec2").describe_security_groups(
            Filters=[
                {"Name": "vpc-id", "Values": [ids["Vpc"]]},
                {"Name": "group-name", "Values": ["default"]},
            ]
        )["SecurityGroups"]
        assert group["IpPermissions"] == group["IpPermissionsEgress"] == []

    def test_no_resource_has_drifted(self, ids: dict[str, str]) -> None:
        cloudformation().detect_stack_drift(StackName="all")
        found = cloudformation().describe_stack_resource_drifts(StackName="all")
        states = {
            drift["LogicalResourceId"]: drift["StackResourceDriftStatus"]
            for drift in found["StackResourceDrifts"]
        }
        assert set(states) == set(ids)
        assert set(states.values()) <= {"IN_SYNC", "NOT_CHECKED"}
        assert states["Bucket"] == states["Role"] == states["Key"] == "IN_SYNC"


@pytest.mark.usefixtures("local")
def test_resources_are_updated_in_place_and_deleted_completely() -> None:
    every_type.make_assets()
    before = _everything()
    create("all", template(every_type.RESOURCES), Tags=[TEAM])
    ids = {name: one["PhysicalResourceId"] for name, one in resources_of("all").items()}
    assert _everything() != before

    stack = update(
        "all",
        template(every_type.changed()),
        Tags=[{"Key": "team", "Value": "inference"}],
    )
    assert stack["StackStatus"] == "UPDATE_COMPLETE", history("all")
    now = {name: one["PhysicalResourceId"] for name, one in resources_of("all").items()}
    assert now == ids
    _check_changes(ids)

    assert delete("all")["StackStatus"] == "DELETE_COMPLETE"
    left = _everything()
    # KMS deletes a key after its waiting period.
    (key,) = [item for item in left.pop("keys") if item not in before.pop("keys")]
    assert aws("kms").describe_key(KeyId=key)["KeyMetadata"]["KeyState"] == "PendingDeletion"
    assert left == before


def _check_changes(ids: dict[str, str]) -> None:
    assert aws("s3").get_bucket_versioning(Bucket=ids["Bucket"])["Status"] == "Suspended"
    (logs,) = aws("logs").describe_log_groups(logGroupNamePrefix=ids["Logs"])["logGroups"]
    assert logs["retentionInDays"] == 60
    assert "kmsKeyId" not in logs
    iam = aws("iam")
    role = iam.get_role(RoleName=ids["Role"])["Role"]
    assert role["Description"] == "runs functions"
    assert role["Tags"] == [{"Key": "team", "Value": "inference"}]
    names = iam.list_role_policies(RoleName=ids["Role"])["PolicyNames"]
    assert set(names) == {"inline", "renamed"}
    issuer = iam.get_open_id_connect_provider(OpenIDConnectProviderArn=ids["Issuer"])
    assert sorted(issuer["ClientIDList"]) == ["new", "sts.amazonaws.com"]
    assert issuer["ThumbprintList"] == ["a" * 40]
    managed = iam.get_policy(PolicyArn=ids["Managed"])["Policy"]
    assert managed["DefaultVersionId"] == "v2"
    (db,) = aws("rds").describe_db_instances(DBInstanceIdentifier=ids["Db"])["DBInstances"]
    assert (db["BackupRetentionPeriod"], db["AllocatedStorage"]) == (8, 30)
    assert own_tags(db["TagList"]) == [{"Key": "team", "Value": "inference"}]
    (alarm,) = aws("cloudwatch").describe_alarms(AlarmNames=[ids["Alarm"]])["MetricAlarms"]
    assert alarm["Threshold"] == 2
    budget = aws("budgets").describe_budget(AccountId=ACCOUNT, BudgetName=ids["Budget"])
    assert float(budget["Budget"]["BudgetLimit"]["Amount"]) == 2000
    ec2 = aws("ec2")
    (reservation,) = ec2.describe_capacity_reservations(
        CapacityReservationIds=[ids["Reservation"]]
    )["CapacityReservations"]
    assert reservation["TotalInstanceCount"] == 3
    versions = ec2.describe_launch_template_versions(LaunchTemplateId=ids["Launch"])
    types = {
        version["VersionNumber"]: version["LaunchTemplateData"]["InstanceType"]
        for version in versions["LaunchTemplateVersions"]
    }
    assert types == {1: "m5.large", 2: "m5.xlarge"}
    queue = aws("sqs").get_queue_attributes(QueueUrl=ids["Warnings"], AttributeNames=["All"])
    attributes = queue["Attributes"]
    # Removed properties have AWS's defaults again, and the policy is kept.
    assert (attributes["MessageRetentionPeriod"], attributes["DelaySeconds"]) == ("600", "0")
    assert "sqs:ReceiveMessage" in attributes["Policy"]
    assert aws("sqs").list_queue_tags(QueueUrl=ids["Warnings"])["Tags"]["team"] == "inference"
    rule = aws("events").describe_rule(Name=ids["Rule"])
    assert rule["State"] == "DISABLED"
    (target,) = aws("events").list_targets_by_rule(Rule=ids["Rule"])["Targets"]
    assert target["Id"] == "renamed"
    function = aws("lambda").get_function_configuration(FunctionName=ids["Function"])
    assert function["MemorySize"] == 512
    (group,) = ec2.describe_security_groups(GroupIds=[ids["Group"]])["SecurityGroups"]
    assert [permission["FromPort"] for permission in group["IpPermissions"]] == [3306]


def _everything() -> dict[str, list[str]]:
    """Names of the stack's resources, as the services list them."""
    listed = {
        "vpcs": ("ec2", "describe_vpcs", "Vpcs", "VpcId"),
        "groups": ("ec2", "describe_security_groups", "SecurityGroups", "GroupId"),
        "placements": ("ec2", "describe_placement_groups", "PlacementGroups", "GroupName"),
        "templates": ("ec2", "describe_launch_templates", "LaunchTemplates", "LaunchTemplateId"),
        "buckets": ("s3", "list_buckets", "Buckets", "Name"),
        "roles": ("iam", "list_roles", "Roles", "RoleName"),
        "profiles": ("iam", "list_instance_profiles", "InstanceProfiles", "InstanceProfileName"),
        "logs": ("logs", "describe_log_groups", "logGroups", "logGroupName"),
        "keys": ("kms", "list_keys", "Keys", "KeyId"),
        "aliases": ("kms", "list_aliases", "Aliases", "AliasName"),
        "functions": ("lambda", "list_functions", "Functions", "FunctionName"),
        "layers": ("lambda", "list_layers", "Layers", "LayerName"),
        "repositories": ("ecr", "describe_repositories", "repositories", "repositoryName"),
        "secrets": ("secretsmanager", "list_secrets", "SecretList", "ARN"),
        "databases": ("rds", "describe_db_instances", "DBInstances", "DBInstanceIdentifier"),
        "subnets": ("rds", "describe_db_subnet_groups", "DBSubnetGroups", "DBSubnetGroupName"),
        "topics": ("sns", "list_topics", "Topics", "TopicArn"),
        "subscriptions": ("sns", "list_subscriptions", "Subscriptions", "SubscriptionArn"),
        "alarms": ("cloudwatch", "describe_alarms", "MetricAlarms", "AlarmName"),
        "dashboards": ("cloudwatch", "list_dashboards", "DashboardEntries", "DashboardName"),
        "workspaces": ("amp", "list_workspaces", "workspaces", "workspaceId"),
        "parameters": ("ssm", "describe_parameters", "Parameters", "Name"),
    }
    found = {
        name: sorted(str(item[key]) for item in getattr(aws(service), operation)()[member])
        for name, (service, operation, member, key) in listed.items()
    }
    found["queues"] = aws("sqs").list_queues().get("QueueUrls", [])
    found["rules"] = [rule["Name"] for rule in aws("events").list_rules()["Rules"]]
    policies = aws("iam").list_policies(Scope="Local")["Policies"]
    found["policies"] = [policy["Arn"] for policy in policies]
    budgets = aws("budgets").describe_budgets(AccountId=ACCOUNT).get("Budgets", [])
    found["budgets"] = [budget["BudgetName"] for budget in budgets]
    reservations = aws("ec2").describe_capacity_reservations()["CapacityReservations"]
    found["reservations"] = [
        reservation["CapacityReservationId"]
        for reservation in reservations
        if reservation["State"] == "active"
    ]
    return found


def test_template_with_every_supported_type_covers_all_types() -> None:
    """The template here, and the tests of the other types."""
    here = {resource["Type"] for resource in every_type.RESOURCES.values()}
    network = {
        *("AWS::EC2::VPCCidrBlock", "AWS::EC2::RouteTable", "AWS::EC2::Route"),
        *("AWS::EC2::SubnetRouteTableAssociation", "AWS::EC2::InternetGateway"),
        *("AWS::EC2::VPCGatewayAttachment", "AWS::EC2::EIP", "AWS::EC2::NatGateway"),
        *("AWS::EC2::VPCEndpoint", "AWS::EC2::SecurityGroupIngress"),
        *("AWS::EC2::SecurityGroupEgress", "AWS::EC2::FlowLog"),
    }
    elsewhere = {
        name
        for name in registry()
        if name.startswith(
            (
                "AWS::CloudFormation::",
                "AWS::EKS::",
                "AWS::PCS::",
                "AWS::SageMaker::",
                "AWS::APS::Scraper",
                "AWS::FSx::",
                "AWS::EC2::Instance",
                "Custom::Log",
                "Custom::Pcluster",
            )
        )
    }
    assert set(registry()) == here | network | elsewhere


# Properties that a handler may ignore, because they have no visible effect here.
_WITHOUT_EFFECT = {
    "AWS::CDK::Metadata": {"Analytics", "Modules"},
    # The construct always sets these; they matter only with a distribution, which is refused.
    "Custom::CDKBucketDeployment": {"SignContent", "WaitForDistributionInvalidation"},
}
_OF_EVERY_CUSTOM_RESOURCE = {"ServiceToken", "ServiceTimeout", "SdkRetry"}


@pytest.mark.parametrize("name", sorted(registry()))
def test_every_property_is_supported_or_refused(name: str) -> None:
    """Every property that a handler accepts is named in its code."""
    handler = registry()[name]
    schema = resource_schema(name, REGION)
    given = (
        {key for key in schema.body["properties"] if (key,) not in schema.read_only}
        if schema
        else set(handler.supported_properties or ()) - _OF_EVERY_CUSTOM_RESOURCE
    )
    taken = {key for key in given if not handler.refused({key: "x"})}
    assert taken - _names_in(handler) == _WITHOUT_EFFECT.get(name, set())


def _names_in(handler: Any) -> set[str]:
    """The strings and keywords of a handler's class and of what surrounds the classes."""
    module = ast.parse(inspect.getsource(sys.modules[type(handler).__module__]))
    own = {item.__name__ for item in type(handler).__mro__}
    found: set[str] = set()
    for node in module.body:
        if isinstance(node, ast.ClassDef) and node.name not in own:
            continue
        lists = {
            id(inner)
            for each in ast.walk(node)
            if isinstance(each, ast.Assign)
            and any(
                getattr(target, "id", "") in ("supported_properties", "unsupported_properties")
                for target in each.targets
            )
            for inner in ast.walk(each)
        }
        for each in ast.walk(node):
            if id(each) in lists:
                continue
            if isinstance(each, ast.Constant) and isinstance(each.value, str):
                found.add(each.value)
            elif isinstance(each, ast.keyword) and each.arg:
                found.add(each.arg)
            elif isinstance(each, ast.Attribute) and each.attr == "tagging":
                found.add("Tags")  # `Context.tagging` reads it
    return found
