"""moto's answers are checked against the model; accepted violations are listed by member."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import boto3
import pytest
from botocore import xform_name
from botocore.config import Config

from clusterwright_localaws import local_aws
from clusterwright_localaws.core import answer_checks as answers
from clusterwright_localaws.core.answer_checks import Breach, breaches, tolerated
from clusterwright_localaws.server import gateway, wire
from packages.localaws.tests.parts import REGION, client, refusal


def member_shape(service: str, operation: str, member: str) -> Any:
    """The model's shape at a member path; raises KeyError where there is none."""
    shape = wire.service_model(service).operation_model(operation).output_shape
    for part in member.split(".") if member else ():
        name = part.split("[")[0].split("{")[0]
        shape = shape.members[name]
        for mark in re.findall(r"\[\]|\{key\}|\{\}", part):
            shape = getattr(shape, {"[]": "member", "{key}": "key", "{}": "value"}[mark])
    return shape


class TestTheList:
    def test_list_is_for_the_pinned_moto_version(self) -> None:
        from importlib.metadata import version

        assert answers.tolerated_version() == version("moto")

    def test_every_entry_is_in_the_model_and_has_a_reason(self) -> None:
        for entry in tolerated():
            assert set(entry) == {"service", "operation", "member", "rule", "why"}
            assert entry["why"]
            assert member_shape(entry["service"], entry["operation"], entry["member"]) is not None

    def test_list_is_sorted_without_duplicates(self) -> None:
        keys = [(e["service"], e["operation"], e["member"], e["rule"]) for e in tolerated()]
        assert keys == sorted(set(keys))

    def test_no_entry_covers_an_entire_operation(self) -> None:
        assert all(entry["member"] and "*" not in entry["operation"] for entry in tolerated())


ALONE = sorted(
    {
        (entry["service"], entry["operation"])
        for entry in tolerated()
        if entry["operation"].startswith(("List", "Get", "Describe"))
        and entry["service"] not in ("ec2", "iam", "organizations")
    }
    - {("dynamodb", "DescribeTable"), ("events", "DescribeConnection")}
)


SSH_KEYS = (("iam", "GetSSHPublicKey"), ("iam", "UploadSSHPublicKey"))


def seen(monkeypatch: pytest.MonkeyPatch) -> set[tuple[str, str, str, str]]:
    """Collects every violation from now on, tolerated or not."""
    found: set[tuple[str, str, str, str]] = set()
    check = answers.breaches

    def noted(service: str, operation: str, protocol: str, answered: Any) -> list[Breach]:
        result = check(service, operation, protocol, answered)
        found.update((service, operation, item.member, item.rule) for item in result)
        return result

    monkeypatch.setattr(answers, "breaches", noted)
    return found


def entries(*operations: tuple[str, str]) -> set[tuple[str, str, str, str]]:
    return {
        (e["service"], e["operation"], e["member"], e["rule"])
        for e in tolerated()
        if (e["service"], e["operation"]) in operations
    }


class TestStillNeeded:
    """Every entry still occurs, so that none remains after its bug is fixed."""

    def test_calls_without_parameters_match_their_models(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        with local_aws():
            found = seen(monkeypatch)
            for service, operation in ALONE:
                getattr(client(service), xform_name(operation))()
        assert entries(*ALONE) <= found

    def test_tables_match_their_models(self, monkeypatch: pytest.MonkeyPatch) -> None:
        with local_aws():
            found = seen(monkeypatch)
            dynamodb = client("dynamodb")
            table = {
                "TableName": "table",
                "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
                "AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "S"}],
            }
            dynamodb.create_table(**table, BillingMode="PAY_PER_REQUEST")
            dynamodb.describe_table(TableName="table")
            dynamodb.update_table(TableName="table", DeletionProtectionEnabled=False)
            dynamodb.delete_table(TableName="table")
        names = ("CreateTable", "DescribeTable", "UpdateTable", "DeleteTable")
        assert entries(*(("dynamodb", name) for name in names)) <= found

    def test_connections_and_fleets_match_their_models(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        with local_aws():
            found = seen(monkeypatch)
            events, ec2 = client("events"), client("ec2")
            basic = {"BasicAuthParameters": {"Username": "a", "Password": "b"}}
            events.create_connection(Name="a", AuthorizationType="BASIC", AuthParameters=basic)
            events.describe_connection(Name="a")
            image = ec2.describe_images()["Images"][0]["ImageId"]
            data = {"ImageId": image, "InstanceType": "m5.large"}
            ec2.create_launch_template(LaunchTemplateName="one", LaunchTemplateData=data)
            ec2.create_fleet(
                LaunchTemplateConfigs=[
                    {"LaunchTemplateSpecification": {"LaunchTemplateName": "one", "Version": "1"}}
                ],
                TargetCapacitySpecification={
                    "DefaultTargetCapacityType": "spot",
                    "TotalTargetCapacity": 1,
                },
                SpotOptions={"AllocationStrategy": "lowestPrice"},
                Type="request",
            )
            ec2.describe_fleets()
        assert entries(("events", "DescribeConnection"), ("ec2", "DescribeFleets")) <= found

    def test_ssh_keys_match_their_models(self, monkeypatch: pytest.MonkeyPatch) -> None:
        with local_aws():
            found = seen(monkeypatch)
            iam = client("iam")
            iam.create_user(UserName="ada")
            key = {"UserName": "ada", "SSHPublicKeyBody": "ssh-rsa " + "A" * 200}
            made = iam.upload_ssh_public_key(**key)["SSHPublicKey"]["SSHPublicKeyId"]
            iam.get_ssh_public_key(UserName="ada", SSHPublicKeyId=made, Encoding="SSH")
        expected = entries(*{(e[0], e[1]) for e in found})
        assert expected == {(*one, "SSHPublicKey.Fingerprint", "length") for one in SSH_KEYS}

    def test_policies_of_organizations_match_their_models(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        with local_aws():
            found = seen(monkeypatch)
            organizations = client("organizations")
            organizations.create_organization(FeatureSet="ALL")
            (root,) = organizations.list_roots()["Roots"]
            kind = "SERVICE_CONTROL_POLICY"
            content = json.dumps({"Version": "2012-10-17", "Statement": []})
            made = organizations.create_policy(
                Content=content, Description="none", Name="none", Type=kind
            )
            policy = made["Policy"]["PolicySummary"]["Id"]
            organizations.describe_policy(PolicyId=policy)
            organizations.update_policy(PolicyId=policy, Name="nothing")
            organizations.attach_policy(PolicyId=policy, TargetId=root["Id"])
            listed = organizations.list_policies(Filter=kind)["Policies"]
            assert policy in {one["Id"] for one in listed}
            organizations.list_policies_for_target(TargetId=root["Id"], Filter=kind)
        needed = {entry for entry in entries(*{(e[0], e[1]) for e in found}) if entry[2]}
        assert {entry for entry in needed if entry[0] == "organizations"} == {
            (e["service"], e["operation"], e["member"], e["rule"])
            for e in tolerated()
            if e["service"] == "organizations"
        }
        assert needed <= found

    def test_ec2_answers_match_their_models(self, monkeypatch: pytest.MonkeyPatch) -> None:
        with local_aws():
            found = seen(monkeypatch)
            ec2 = client("ec2")
            vpc = ec2.create_vpc(CidrBlock="10.0.0.0/16")["Vpc"]["VpcId"]
            gateway_id = ec2.create_internet_gateway()["InternetGateway"]["InternetGatewayId"]
            ec2.attach_internet_gateway(InternetGatewayId=gateway_id, VpcId=vpc)
            ec2.describe_internet_gateways()
            ec2.describe_instance_types()
            ec2.create_vpc_endpoint(VpcId=vpc, ServiceName="com.amazonaws.us-east-1.s3")
            ec2.describe_vpc_endpoints()
            ec2.create_launch_template(
                LaunchTemplateName="launch", LaunchTemplateData={"InstanceType": "m5.large"}
            )
            windows = next(
                image["ImageId"]
                for image in ec2.describe_images(Owners=["amazon"])["Images"]
                if image.get("Platform") == "windows"
            )
            ec2.run_instances(ImageId=windows, MinCount=1, MaxCount=1, InstanceType="m5.large")
            ec2.describe_instances()
        needed = {entry for entry in entries(*{(e[0], e[1]) for e in found}) if entry[0] == "ec2"}
        assert needed
        assert needed <= found
        # The test of fleets shows the others.
        assert needed == {
            (e["service"], e["operation"], e["member"], e["rule"])
            for e in tolerated()
            if e["service"] == "ec2" and e["operation"] != "DescribeFleets"
        }


def of_sts(body: str, status: int = 200) -> list[Breach]:
    return breaches("sts", "GetCallerIdentity", "query", (status, {}, body))


class TestChecks:
    @pytest.mark.parametrize(
        ("body", "member", "rule"),
        [
            (
                '{"ClusterSummaries": [{"ClusterName": "a"}]}',
                "ClusterSummaries[].ClusterArn",
                "missing",
            ),
            ('{"ClusterSummaries": [7]}', "", "unreadable"),
            ('{"ClusterSummaries": 7}', "", "unreadable"),
            (
                '{"ClusterSummaries": [{"ClusterStatus": "Great"}]}',
                "ClusterSummaries[].ClusterStatus",
                "enum",
            ),
            (
                '{"ClusterSummaries": [{"ClusterName": ""}]}',
                "ClusterSummaries[].ClusterName",
                "pattern",
            ),
            (
                '{"ClusterSummaries": [{"ClusterName": 5}]}',
                "ClusterSummaries[].ClusterName",
                "type",
            ),
            ("{", "", "unreadable"),
            ("{}", "ClusterSummaries", "missing"),
        ],
    )
    def test_json(self, body: str, member: str, rule: str) -> None:
        found = breaches("sagemaker", "ListClusters", "json", (200, {}, body))
        assert (member, rule) in {(item.member, item.rule) for item in found}

    def test_invalid_xml_is_reported(self) -> None:
        assert [st.rule for st in of_sts("<a>")] == ["unreadable"]

    @pytest.mark.parametrize("status", [500, 502, 503])
    def test_exception_in_moto_is_reported(self, status: int) -> None:
        assert [st.rule for st in of_sts("<html/>", status)] == ["failure"]

    def test_error_answers_must_have_a_code(self) -> None:
        body = "<ErrorResponse><Error><Code>Denied</Code></Error></ErrorResponse>"
        assert of_sts(body, 400) == []
        assert [st.rule for st in of_sts("<ErrorResponse/>", 400)] == ["error-shape"]

    def test_an_empty_list_is_accepted_despite_a_minimum(self) -> None:
        assert breaches("codebuild", "ListBuilds", "json", (200, {}, '{"ids": []}')) == []
        assert breaches("logs", "ListTagsForResource", "json", (200, {}, '{"tags": {}}')) == []

    def test_streamed_body_is_not_read(self) -> None:
        assert breaches("s3", "GetObject", "rest-xml", (200, {}, b"\xff\xfe")) == []


def unchecked(service: str) -> Any:
    return boto3.client(
        service,
        REGION,
        aws_access_key_id="testing",
        aws_secret_access_key="testing",
        config=Config(parameter_validation=False),
    )


class TestRefusals:
    def test_an_unlisted_violation_is_reported_and_not_retried(
        self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        from moto.sts.responses import TokenResponse

        with local_aws():
            client("sts").get_caller_identity()

            def wrong(self: Any) -> Any:
                raise KeyError("oops")

            monkeypatch.setattr(TokenResponse, "get_caller_identity", wrong)
            code, message = refusal(client("sts").get_caller_identity)
        assert code == "InternalFailure"
        assert "moto failed at sts GetCallerIdentity: KeyError" in message
        said = capsys.readouterr().err
        assert "moto/sts" not in message
        assert said.startswith("localaws: moto failed at sts GetCallerIdentity")
        assert "Traceback" not in said

    def test_answer_that_violates_its_model_is_reported(
        self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        monkeypatch.setattr(answers, "_known", frozenset)
        with local_aws():
            code, message = refusal(client("route53").list_health_checks)
        assert code == "InternalFailure"
        assert "violates AWS's model" in message
        assert "IsTruncated: missing" in message
        assert "violates AWS's model" in capsys.readouterr().err

    @pytest.mark.parametrize(
        ("call", "code"),
        [
            (
                lambda s3: s3.put_object(Bucket="b-1", Key="k", StorageClass="COLD"),
                "InvalidStorageClass",
            ),
            (lambda s3: s3.put_object(Bucket="b-1", Key="k", ACL="mine"), "InvalidArgument"),
            (
                lambda s3: s3.put_bucket_versioning(
                    Bucket="b-1", VersioningConfiguration={"Status": "Perhaps"}
                ),
                "MalformedXML",
            ),
            (
                lambda s3: s3.put_public_access_block(Bucket="b-1"),
                "InvalidArgument",
            ),
        ],
    )
    def test_s3_requests_are_validated(self, call: Callable[[Any], Any], code: str) -> None:
        with local_aws():
            s3 = unchecked("s3")
            s3.create_bucket(Bucket="b-1")
            assert refusal(call, s3=s3)[0] == code

    def test_a_log_bucket_accepts_the_acl_that_the_model_lacks(self) -> None:
        with local_aws():
            s3 = client("s3")
            s3.create_bucket(Bucket="logs-1", ObjectOwnership="ObjectWriter")
            s3.put_bucket_acl(Bucket="logs-1", ACL="log-delivery-write")


def test_gateway_checks_every_answer_of_moto(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[str, str]] = []
    check = gateway._check_moto

    def noted(service: str, operation: str, *rest: Any) -> Any:
        asked.append((service, operation))
        return check(service, operation, *rest)

    monkeypatch.setattr(gateway, "_check_moto", noted)
    with local_aws():
        client("s3").list_buckets()
        client("iam").list_users()
        client("ec2").describe_vpcs()
        client("dynamodb").list_tables()
        client("efs").describe_file_systems()
    assert asked == [
        ("s3", "ListBuckets"),
        ("iam", "ListUsers"),
        ("ec2", "DescribeVpcs"),
        ("dynamodb", "ListTables"),
        ("efs", "DescribeFileSystems"),
    ]
