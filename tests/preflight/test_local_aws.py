"""The local AWS answers the calls of every account rule, in worlds of all kinds."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import boto3
import pytest

from clusterwright.aws.errors import AwsUnavailable
from clusterwright.aws.session import AwsSession
from clusterwright.cli.main import main
from clusterwright_localaws import local_aws
from tests.support import specs

Check = Callable[..., dict[str, Any]]


@pytest.fixture
def check(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Check:
    """Run `clusterwright check` in this process and return its JSON."""

    def run(changes: dict[str, Any] | None = None, *options: str) -> dict[str, Any]:
        path = specs.write(tmp_path / "spec.yaml", specs.changed(changes or {}))
        code = main(["check", str(path), "--format", "json", *options])
        captured = capsys.readouterr()
        assert captured.err == ""
        answer: dict[str, Any] = json.loads(captured.out)
        assert answer["exit_code"] == code
        return answer

    return run


def statuses(answer: dict[str, Any]) -> dict[str, str]:
    return {rule["rule"]: rule["status"] for rule in answer["rules"]}


def client(service: str) -> Any:
    return boto3.Session(
        aws_access_key_id=specs.ACCOUNT, aws_secret_access_key="local", region_name="us-east-1"
    ).client(service)


@contextmanager
def world(
    name: str | None = None, *, account: str = specs.ACCOUNT, **changes: Any
) -> Iterator[None]:
    """A local AWS whose caller belongs to `account`: the access key selects it."""
    with local_aws(name, **changes), pytest.MonkeyPatch.context() as patch:
        patch.setenv("AWS_ACCESS_KEY_ID", account)
        patch.setenv("AWS_SECRET_ACCESS_KEY", "local")
        yield


PLAN = {"compute.1.capacity": {"kind": "training-plan", "arn": specs.PLAN}}
EVERYTHING: dict[str, Any] = {
    **PLAN,
    "run.hours": 24,
    "storage.checkpoint_path": "/fsx/data/checkpoints",
    "network.egress": "nat",
    "storage.lustre": [
        {**specs.LUSTRE, "repositories": [{"s3": "s3://my-own-corpus", "path": "/data"}]}
    ],
    "storage.home": {"kind": "openzfs", "capacity_gib": 128},
    "compute.1.ebs": {"capacity_gib": 500},
}


@pytest.fixture
def generous() -> Iterator[None]:
    with world("generous"):
        yield


def bootstrap() -> None:
    """The resources of `cdk bootstrap` that the rules read."""
    ends = f"{specs.ACCOUNT}-us-east-1"
    client("ssm").put_parameter(Name="/cdk-bootstrap/hnb659fds/version", Value="28", Type="String")
    client("s3").create_bucket(Bucket=f"cdk-hnb659fds-assets-{ends}")
    trust = {
        "Effect": "Allow",
        "Principal": {"Service": "cloudformation.amazonaws.com"},
        "Action": "sts:AssumeRole",
    }
    document = json.dumps({"Version": "2012-10-17", "Statement": [trust]})
    for kind in ("deploy-role", "file-publishing-role", "cfn-exec-role"):
        client("iam").create_role(
            RoleName=f"cdk-hnb659fds-{kind}-{ends}", AssumeRolePolicyDocument=document
        )
    client("iam").attach_role_policy(
        RoleName=f"cdk-hnb659fds-cfn-exec-role-{ends}",
        PolicyArn="arn:aws:iam::aws:policy/AdministratorAccess",
    )


@pytest.mark.usefixtures("generous")
def test_everything_passes_in_a_generous_world(check: Check) -> None:
    bootstrap()
    client("s3").create_bucket(Bucket="my-own-corpus")
    answer = check(EVERYTHING)
    assert answer["unknown"] == []
    grave = [f["message"] for f in answer["findings"] if f["severity"] != "info"]
    assert grave == []
    assert answer["exit_code"] == 0
    tested = {rule["rule"] for rule in answer["rules"] if rule["tested"]}
    assert {
        "CW-C001", "CW-C010", "CW-C013", "CW-C014", "CW-I003", "CW-N010", "CW-N014", "CW-Q001",
        "CW-Q003", "CW-Q004", "CW-Q005", "CW-Q012", "CW-Q030", "CW-Q031", "CW-Q035", "CW-Q040",
        "CW-Q041", "CW-Q042", "CW-S010", "CW-S011", "CW-E002", "CW-E003", "CW-E004", "CW-E007",
        "CW-I010", "CW-I011", "CW-I013", "CW-I016", "CW-S025", "CW-S026", "CW-S028",
    } <= tested  # fmt: skip


@pytest.mark.usefixtures("generous")
def test_missing_bucket_is_reported(check: Check) -> None:
    answer = check(EVERYTHING)
    assert statuses(answer)["CW-S010"] == "fail"
    assert answer["exit_code"] == 1


def test_all_missing_quotas_of_a_new_account_are_reported(check: Check) -> None:
    with world("new-account"):
        answer = check({"compute.1.count": 20, "compute.1.ebs": {"capacity_gib": 500}})
    found = {f["rule"]: f for f in answer["findings"] if f["severity"] == "error"}
    assert set(found) == {"CW-Q001", "CW-Q003", "CW-Q005"}
    assert answer["exit_code"] == 1
    per_cluster = found["CW-Q003"]
    assert (per_cluster["requested"], per_cluster["used"], per_cluster["limit"]) == (21, 0, 20)
    assert per_cluster["quota_code"] == "L-2CE978FC"
    # A quota whose default no source states has no answer, which never counts as sufficient.
    assert statuses(answer)["CW-Q004"] == "unknown"


def test_example_of_the_contract(check: Check) -> None:
    with world(quotas={"sagemaker/L-9EF527CA": 8}):
        answer = check({**PLAN, "compute.1.count": 64}, "--only", "CW-Q012")
    (finding,) = answer["findings"]
    assert finding["message"] == (
        '64 × ml.p5.48xlarge need 64 of "instances in reserved capacity across training plans", '
        "8 are free in us-east-1"
    )
    assert (finding["requested"], finding["used"], finding["limit"]) == (64, 0, 8)


def test_usage_of_others_is_counted(check: Check) -> None:
    code = "sagemaker/L-8762A75F"
    with world(quotas={code: 10}, usage={code: 7}):
        answer = check(None, "--only", "CW-Q001")
        (finding,) = answer["findings"]
        assert (finding["requested"], finding["used"], finding["limit"]) == (4, 7, 10)
    with world(quotas={code: 11}, usage={code: 7}):
        assert check(None, "--only", "CW-Q001")["exit_code"] == 0


def test_expired_plan_is_reported(check: Check) -> None:
    with world("expired-plan"):
        answer = check(PLAN)
    found = {f["rule"]: f["severity"] for f in answer["findings"]}
    assert found["CW-C011"] == "error"
    assert answer["exit_code"] == 1


def test_plan_of_a_world_is_compared_with_the_spec(check: Check) -> None:
    plan = {
        "name": "run-1", "instance_type": "p5en.48xlarge", "instance_count": 2,
        "zone_id": "use1-az2",
    }  # fmt: skip
    with world(training_plans=[plan]):
        answer = check(PLAN)
    found = {f["rule"] for f in answer["findings"] if f["severity"] == "error"}
    assert {"CW-C012", "CW-C013", "CW-C014"} <= found


def test_type_not_offered_in_the_world_is_reported(check: Check) -> None:
    with world(not_offered={"p5.48xlarge": ["use1-az6"]}):
        answer = check()
    (finding,) = [f for f in answer["findings"] if f["rule"] == "CW-C001"]
    assert "use1-az6 does not offer p5.48xlarge" in finding["message"]


SUBNET = "subnet-0123456789abcdef0"
VPC = "vpc-0123456789abcdef0"


def existing(group: str) -> dict[str, Any]:
    return {
        "network": {
            "availability_zone_id": "use1-az6",
            "existing": {
                "vpc_id": VPC,
                "subnet_ids": [SUBNET],
                "security_group_ids": [group],
            },
        }
    }


@pytest.mark.parametrize(("free", "code"), [(200, 0), (10, 1)])
def test_existing_network_is_checked(check: Check, free: int, code: int) -> None:
    group = "sg-0123456789abcdef0"
    subnet = {
        "id": SUBNET, "vpc_id": VPC, "cidr": "10.0.0.0/20", "zone_id": "use1-az6",
        "free_addresses": free, "security_group_ids": [group],
    }  # fmt: skip
    with world(subnets=[subnet]):
        client("ec2").modify_vpc_attribute(VpcId=VPC, EnableDnsHostnames={"Value": True})
        answer = check(existing(group))
    assert answer["unknown"] == []
    found = {f["rule"]: f for f in answer["findings"]}
    assert answer["exit_code"] == code, found
    if code:
        assert found["CW-N009"]["limit"] == free
    tested = {rule["rule"] for rule in answer["rules"] if rule["tested"]}
    assert {"CW-N006", "CW-N007", "CW-N008", "CW-N009", "CW-N011", "CW-N012"} <= tested


def test_missing_network_is_reported(check: Check) -> None:
    with world("generous"):
        answer = check(existing("sg-0123456789abcdef0"))
    found = {f["rule"] for f in answer["findings"]}
    assert {"CW-N006", "CW-N007", "CW-N008"} <= found


ALLOWED = {"Effect": "Allow", "Action": "s3:GetObject", "Resource": "*"}


@pytest.mark.usefixtures("generous")
def test_key_secret_and_policy_are_checked(check: Check) -> None:
    key = client("kms").create_key()["KeyMetadata"]["Arn"]
    policy = client("iam").create_policy(
        PolicyName="boundary",
        PolicyDocument=json.dumps({"Version": "2012-10-17", "Statement": [ALLOWED]}),
    )["Policy"]["Arn"]
    secret = client("secretsmanager").create_secret(Name="slurm", SecretString="x")["ARN"]
    changes = {
        "identity.kms_key_arn": key,
        "identity.permissions_boundary_arn": policy,
        "slurm.accounting": {
            "kind": "rds",
            "existing": {"endpoint": "db.example.internal", "secret_arn": secret},
        },
    }
    only = ("--only", "CW-I002,CW-I004,CW-I005")
    assert check(changes, *only)["exit_code"] == 0
    client("kms").disable_key(KeyId=key.rpartition("/")[2])
    client("iam").delete_policy(PolicyArn=policy)
    client("secretsmanager").delete_secret(SecretId=secret)
    answer = check(changes, *only)
    assert {f["rule"] for f in answer["findings"]} == {"CW-I002", "CW-I004", "CW-I005"}


def test_wrong_account_is_reported(check: Check) -> None:
    with world(account="999988887777"):
        answer = check(None, "--only", "CW-I003")
    (finding,) = answer["findings"]
    assert finding["limit"] == "999988887777"


OPERATIONS = [
    ("service-quotas", "GetServiceQuota", "servicequotas:GetServiceQuota", "CW-Q001"),
    ("sagemaker", "ListClusters", "sagemaker:ListClusters", "CW-Q001"),
    ("sagemaker", "DescribeTrainingPlan", "sagemaker:DescribeTrainingPlan", "CW-C010"),
    ("sagemaker", "ListTrainingPlans", "sagemaker:ListTrainingPlans", "CW-Q012"),
    ("ec2", "DescribeSubnets", "ec2:DescribeSubnets", "CW-N010"),
    ("ec2", "DescribeVpcs", "ec2:DescribeVpcs", "CW-Q040"),
    ("ec2", "DescribeAddresses", "ec2:DescribeAddresses", "CW-Q041"),
    ("ec2", "DescribeNatGateways", "ec2:DescribeNatGateways", "CW-Q042"),
    ("ec2", "DescribeInstanceTypeOfferings", "ec2:DescribeInstanceTypeOfferings", "CW-C001"),
    ("ec2", "DescribeAvailabilityZones", "ec2:DescribeAvailabilityZones", "CW-N014"),
    ("fsx", "DescribeFileSystems", "fsx:DescribeFileSystems", "CW-Q030"),
    ("s3", "HeadBucket", "s3:ListBucket", "CW-S010"),
    ("sts", "GetCallerIdentity", "sts:GetCallerIdentity", "CW-I003"),
]


@pytest.mark.parametrize(("service", "operation", "action", "rule"), OPERATIONS)
def test_access_denied_is_unknown_and_names_the_action(
    check: Check, service: str, operation: str, action: str, rule: str
) -> None:
    fault = {"service": service, "operation": operation, "error": "AccessDeniedException"}
    with world(faults=[{**fault, "status": 403}]):
        client("s3").create_bucket(Bucket="my-own-corpus")
        answer = check(EVERYTHING, "--only", rule)
    assert statuses(answer)[rule] == "unknown"
    assert answer["findings"] == []
    assert answer["exit_code"] == 2
    (entry, *_) = answer["unknown"]
    assert entry["reason"] == "denied"
    assert entry["iam_action"] == action
    assert action in entry["message"]


@pytest.mark.parametrize("error", ["ThrottlingException", "InternalFailure"])
def test_other_errors_are_unknown(
    check: Check, error: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The number of retries is botocore's; only the result is checked here.
    defaults = {**(AwsSession.__init__.__kwdefaults__ or {}), "max_attempts": 1}
    monkeypatch.setattr(AwsSession.__init__, "__kwdefaults__", defaults)
    with world(faults=[{"service": "*", "operation": "*", "error": error}]):
        answer = check(EVERYTHING)
    account = [r for r in answer["rules"] if r["scope"] == "account" and r["tested"]]
    assert account
    assert {r["status"] for r in account} == {"unknown"}
    assert answer["exit_code"] == 2


def test_empty_answer_does_not_pass_required_resources(check: Check) -> None:
    fault = {"service": "ec2", "operation": "*", "empty": True}
    with world(faults=[fault]):
        answer = check(EVERYTHING, "--only", "CW-C001,CW-N014")
    assert set(statuses(answer).values()) == {"unknown", "skipped"}


def test_all_pages_are_read(check: Check) -> None:
    faults = [
        {"service": service, "operation": "*", "truncate": 1}
        for service in ("sagemaker", "fsx", "service-quotas")
    ]
    faults.append({"service": "ec2", "operation": "DescribeInstanceTypeOfferings", "truncate": 1})
    plans = [
        {"name": name, "instance_type": "p5.48xlarge", "instance_count": 8, "zone_id": "use1-az6"}
        for name in ("run-1", "run-2", "run-3")
    ]
    limit = {"sagemaker/L-9EF527CA": 19}
    with world(faults=faults, training_plans=plans, quotas=limit):
        answer = check(PLAN, "--only", "CW-Q012,CW-C001,CW-C013")
    (finding,) = answer["findings"]
    assert (finding["requested"], finding["used"], finding["limit"]) == (4, 16, 19)
    assert statuses(answer)["CW-C001"] == statuses(answer)["CW-C013"] == "pass"


THROTTLED = [
    {"service": "ec2", "operation": "DescribeInstanceTypeOfferings"},
    {"service": "service-quotas", "operation": "GetServiceQuota"},
    {"service": "cloudformation", "operation": "DescribeStacks"},
    {"service": "iam", "operation": "GetRole"},
]


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """botocore's back-off without waiting."""
    from botocore.retries.standard import ExponentialBackoff

    monkeypatch.setattr(ExponentialBackoff, "delay_amount", lambda self, context: 0.0)


@pytest.mark.usefixtures("at_once")
def test_throttled_calls_are_retried_with_the_same_result(check: Check) -> None:
    with world("generous"):
        calm = check()
    faults = [{**fault, "error": "ThrottlingException", "times": 2} for fault in THROTTLED]
    with world("generous", faults=faults):
        busy = check()
    assert statuses(busy) == statuses(calm)
    assert busy["summary"]["unknown"] == 0
    assert busy["api_calls"] == calm["api_calls"]


@pytest.mark.usefixtures("at_once")
@pytest.mark.parametrize(("times", "requests"), [(1, 2), (3, 4), (4, 4)])
def test_client_retries_three_times(times: int, requests: int) -> None:
    """Clients of all commands come from `AwsSession` (see `tests/aws/test_session.py`)."""
    fault = {"service": "sts", "operation": "GetCallerIdentity", "error": "Throttling"}
    with world("generous", faults=[{**fault, "times": times}]):
        session = AwsSession("us-east-1")
        thread = threading.get_ident()
        if times < requests:
            assert session.call("sts", "GetCallerIdentity")["Account"] == specs.ACCOUNT
        else:
            with pytest.raises(AwsUnavailable) as error:
                session.call("sts", "GetCallerIdentity")
            assert error.value.reason == "throttled"
        assert session.sent_times(thread) == requests
        assert session.asked_times(thread) == 1
