"""Random small templates of supported types, and all resources of an account."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import strategies as st

from packages.localaws.tests.cloudformation.stacks import aws, resource, template
from packages.localaws.tests.handlers import trust

Properties = dict[str, Any]
_VOLATILE = frozenset(
    {
        *("CreateDate", "CreateTime", "CreatedDate", "LastChangedDate", "LastModifiedDate"),
        *("Version", "VersionIdsToStages", "ResponseMetadata", "CreationDate", "createdAt"),
        *("creationTime", "AlarmConfigurationUpdatedTimestamp", "StateUpdatedTimestamp"),
        *("RoleLastUsed", "LatestVersionNumber", "DefaultVersionNumber", "NextToken"),
    }
)


class _Template:
    """A template that is being generated: the drawn values and its resources."""

    def __init__(self, draw: st.DrawFn) -> None:
        self.draw = draw
        self.resources: dict[str, Any] = {}

    def some(self, *values: Any) -> Any:
        return self.draw(st.sampled_from(values))

    def perhaps(self, *needed: str) -> bool:
        return all(name in self.resources for name in needed) and self.draw(st.booleans())

    def add(self, name: str, kind: str, **properties: Any) -> None:
        given = {key: value for key, value in properties.items() if value is not None}
        self.resources[name] = resource(kind, given)


@st.composite
def bodies(draw: st.DrawFn) -> dict[str, Any]:
    """The `Resources` of a template: a few of the types below, with references to each other."""
    item = _Template(draw)
    _network(item)
    _identities_and_data(item)
    _watching(item)
    names = [
        name for name in ("Topic", "Role", "Vpc", "Bucket", "Images") if name in item.resources
    ]
    value = {"Ref": item.some(*names)} if names else item.some("v", "w")
    kind, name = item.some("String", "StringList"), item.some(None, "/a", "/b")
    depends = item.some(None, *sorted(item.resources))
    item.add("Setting", "AWS::SSM::Parameter", Type=kind, Value=value, Name=name)
    if depends:
        item.resources["Setting"]["DependsOn"] = depends
    order = draw(st.permutations(sorted(item.resources)))
    return {name: item.resources[name] for name in order}


def _network(one: _Template) -> None:
    vpc = {"Ref": "Vpc"}
    if one.perhaps():
        cidr = one.some("10.0.0.0/16", "10.1.0.0/16")
        one.add("Vpc", "AWS::EC2::VPC", CidrBlock=cidr, EnableDnsHostnames=one.some(True, None))
        if one.perhaps():
            block = {"Fn::Select": [one.some(0, 1), {"Fn::Cidr": [cidr, 2, 8]}]}
            zone = "use1-az6"
            one.add(
                "Subnet", "AWS::EC2::Subnet", VpcId=vpc, CidrBlock=block, AvailabilityZoneId=zone
            )
    if one.perhaps("Vpc"):
        text = one.some("one", "two")
        one.add("Group", "AWS::EC2::SecurityGroup", GroupDescription=text, VpcId=vpc)
    if one.perhaps("Group"):
        one.add(
            "Rule",
            "AWS::EC2::SecurityGroupIngress",
            GroupId={"Fn::GetAtt": ["Group", "GroupId"]},
            IpProtocol="tcp",
            FromPort=one.some(22, 443),
            ToPort=443,
            CidrIp="10.0.0.0/8",
        )
    if one.perhaps():
        data = {"InstanceType": one.some("m5.large", "c5.large")}
        one.add("Launch", "AWS::EC2::LaunchTemplate", LaunchTemplateData=data)


def _identities_and_data(one: _Template) -> None:
    if one.perhaps():
        one.add(
            "Role",
            "AWS::IAM::Role",
            AssumeRolePolicyDocument=trust("ec2.amazonaws.com"),
            Description=one.some("x", "y"),
            Path=one.some("/", "/p/"),
        )
    if one.perhaps("Role"):
        one.add("Profile", "AWS::IAM::InstanceProfile", Roles=[{"Ref": "Role"}])
    if one.perhaps():
        status = {"Status": one.some("Enabled", "Suspended")}
        one.add("Bucket", "AWS::S3::Bucket", VersioningConfiguration=one.some(status, None))
    if one.perhaps():
        scan = {"ScanOnPush": one.some(True, False)}
        one.add("Images", "AWS::ECR::Repository", ImageScanningConfiguration=scan)
    if one.perhaps():
        one.add("Secret", "AWS::SecretsManager::Secret", Description=one.some("s", "t"))


def _watching(one: _Template) -> None:
    if one.perhaps():
        one.add("Topic", "AWS::SNS::Topic", DisplayName=one.some("a", "b", None))
    if one.perhaps():
        one.add("Logs", "AWS::Logs::LogGroup", RetentionInDays=one.some(1, 3, None))
    if one.perhaps("Topic"):
        one.add(
            "Alarm",
            "AWS::CloudWatch::Alarm",
            ComparisonOperator="GreaterThanThreshold",
            EvaluationPeriods=1,
            MetricName="M",
            Namespace="N",
            Period=60,
            Statistic="Average",
            Threshold=one.some(1, 2),
            AlarmActions=[{"Ref": "Topic"}],
        )


def body(resources: dict[str, Any]) -> str:
    return template(resources)


def account() -> dict[str, Any]:
    """All resources of the account, without times and counters."""
    listed: dict[str, tuple[str, str, str]] = {
        "vpcs": ("ec2", "describe_vpcs", "Vpcs"),
        "subnets": ("ec2", "describe_subnets", "Subnets"),
        "groups": ("ec2", "describe_security_groups", "SecurityGroups"),
        "templates": ("ec2", "describe_launch_templates", "LaunchTemplates"),
        "buckets": ("s3", "list_buckets", "Buckets"),
        "roles": ("iam", "list_roles", "Roles"),
        "profiles": ("iam", "list_instance_profiles", "InstanceProfiles"),
        "logs": ("logs", "describe_log_groups", "logGroups"),
        "repositories": ("ecr", "describe_repositories", "repositories"),
        "secrets": ("secretsmanager", "list_secrets", "SecretList"),
        "topics": ("sns", "list_topics", "Topics"),
        "alarms": ("cloudwatch", "describe_alarms", "MetricAlarms"),
        "parameters": ("ssm", "describe_parameters", "Parameters"),
    }
    found = {
        name: sorted(
            (_plain(item) for item in getattr(aws(service), operation)()[member]),
            key=lambda item: json.dumps(item, sort_keys=True, default=str),
        )
        for name, (service, operation, member) in listed.items()
    }
    for bucket in found["buckets"]:
        status = aws("s3").get_bucket_versioning(Bucket=bucket["Name"]).get("Status")
        # Versioning cannot be removed, only suspended, also by CloudFormation.
        bucket["versioning"] = None if status == "Suspended" else status
    for parameter in found["parameters"]:
        parameter["value"] = aws("ssm").get_parameter(Name=parameter["Name"])["Parameter"]["Value"]
    for topic in found["topics"]:
        attributes = aws("sns").get_topic_attributes(TopicArn=topic["TopicArn"])["Attributes"]
        topic["display"] = attributes.get("DisplayName")
    return found


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items() if key not in _VOLATILE}
    if isinstance(value, list):
        return [_plain(item) for item in value]
    return value
