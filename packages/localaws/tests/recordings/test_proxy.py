"""`localaws record` in front of the local AWS, and `localaws replay` of what it wrote."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from clusterwright_localaws.json_output import schemas
from clusterwright_localaws.recordings.proxy import _unchunked
from packages.localaws.tests.cbor_clients import with_cbor
from packages.localaws.tests.servers import READY, at, server

SECRET = "correct-horse-battery"
pytestmark = pytest.mark.enable_socket


def localaws(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "clusterwright", "localaws", *arguments]


def deployment(address: str) -> None:
    """Calls of several protocols: query, EC2, JSON, REST JSON, REST XML, CBOR."""
    ec2, s3, ssm = at(address, "ec2"), at(address, "s3"), at(address, "ssm")
    vpc = ec2.create_vpc(CidrBlock="10.0.0.0/16")["Vpc"]["VpcId"]
    subnet = ec2.create_subnet(VpcId=vpc, CidrBlock="10.0.0.0/24", AvailabilityZone="us-east-1a")
    ec2.describe_subnets(SubnetIds=[subnet["Subnet"]["SubnetId"]])
    s3.create_bucket(Bucket="recorded-1")
    s3.put_object(Bucket="recorded-1", Key="a/b c", Body=b"text")
    assert s3.get_object(Bucket="recorded-1", Key="a/b c")["Body"].read() == b"text"
    at(address, "secretsmanager").create_secret(Name="one", SecretString=SECRET)
    ssm.put_parameter(Name="/one", Value="two", Type="String")
    ssm.get_parameter(Name="/one")
    at(address, "eks").list_clusters()
    with_cbor(at(address, "cloudwatch")).list_metrics(Namespace="N")
    data = [{"MetricName": "m" * 200, "Value": 1.0}] * 100  # compressed by boto3
    at(address, "cloudwatch").put_metric_data(Namespace="N", MetricData=data)
    with pytest.raises(Exception, match="NoSuchEntity"):
        at(address, "iam").get_role(RoleName="none")
    template = {"Resources": {"T": {"Type": "AWS::SNS::Topic"}}}
    cloudformation = at(address, "cloudformation")
    cloudformation.create_stack(StackName="s", TemplateBody=json.dumps(template))
    cloudformation.get_waiter("stack_create_complete").wait(
        StackName="s", WaiterConfig={"Delay": 1}
    )


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("recording") / "calls.jsonl"
    with server() as (upstream, _):
        process = subprocess.Popen(
            localaws("record", "--to", str(path), "--upstream", upstream),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert process.stdout is not None
        match = READY.fullmatch(process.stdout.readline().strip())
        assert match
        deployment(match.group(1))
        process.terminate()
        _, errors = process.communicate(timeout=20)
        assert (process.returncode, errors) == (0, "")
    return path


def replayed(path: Path) -> tuple[int, Any]:
    done = subprocess.run(
        localaws("replay", str(path), "--format", "json"),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert "Traceback" not in done.stderr
    if not done.stdout:
        return done.returncode, done.stderr
    document = json.loads(done.stdout)
    jsonschema.validate(document, schemas()["localaws-replay-output.schema.json"])
    assert document["exit_code"] == done.returncode
    return done.returncode, document


def test_every_call_is_recorded_without_secrets(recording: Path) -> None:
    text = recording.read_text()
    operations = [json.loads(line).get("operation") for line in text.splitlines()[1:]]
    assert operations[:6] == [
        "CreateVpc",
        "CreateSubnet",
        "DescribeSubnets",
        "CreateBucket",
        "PutObject",
        "GetObject",
    ]
    assert {"CreateSecret", "GetRole", "CreateStack", "DescribeStacks"} <= set(operations)
    for secret in (SECRET, "AWS4-HMAC", "Signature", "Credential="):
        assert secret not in text


def test_every_line_matches_the_schema(recording: Path) -> None:
    schema = schemas()["localaws-recording.schema.json"]
    lines = [json.loads(line) for line in recording.read_text().splitlines()]
    for line in lines:
        jsonschema.validate(line, schema)
    assert {type(line.get("error")) for line in lines[1:]} == {dict, type(None)}
    for wrong in (
        lines[0] | {"kind": "other"},
        lines[1] | {"number": 0},
        {**lines[1], "status": "a"},
    ):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(wrong, schema)


def test_local_aws_answers_its_own_recording_alike(recording: Path) -> None:
    code, document = replayed(recording)
    assert [one for one in document["calls"] if one["verdict"] not in ("same", "skipped")] == []
    assert (code, document["exit_code"]) == (0, 0)


def test_planted_differences_are_found(recording: Path, tmp_path: Path) -> None:
    lines = [json.loads(line) for line in recording.read_text().splitlines()]
    by_operation = {one.get("operation"): one for one in lines}
    by_operation["DescribeSubnets"]["answer"]["Subnets"][0]["AvailableIpAddressCount"] = 7
    del by_operation["CreateVpc"]["answer"]["Vpc"]["State"]
    by_operation["GetRole"]["error"]["code"] = "Other"
    by_operation["GetParameter"]["answer"]["Parameter"]["Value"] = "three"
    by_operation["ListClusters"]["answer"]["clusters"] = ["one"]
    path = tmp_path / "planted.jsonl"
    path.write_text("".join(json.dumps(one) + "\n" for one in lines))
    code, document = replayed(path)
    found = {
        (one["call"], item["member"]) for one in document["calls"] for item in one["differences"]
    }
    assert found == {
        ("ec2.DescribeSubnets", "Subnets[0].AvailableIpAddressCount"),
        ("ec2.CreateVpc", "Vpc.State"),
        ("iam.GetRole", "error"),
        ("ssm.GetParameter", "Parameter.Value"),
        ("eks.ListClusters", "clusters"),
    }
    assert code == 1


def test_file_that_is_no_recording(tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_text("{}\n")
    assert replayed(path)[0] == 3
    assert replayed(tmp_path / "none")[0] == 3


def test_chunks_are_removed() -> None:
    body = b"4;chunk-signature=ab\r\ntext\r\n0;chunk-signature=cd\r\nx-amz-checksum:1\r\n\r\n"
    given = {
        "X-Amz-Content-Sha256": "STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER",
        "X-Amz-Decoded-Content-Length": "4",
        "Content-Encoding": "aws-chunked",
        "Content-Type": "text/plain",
    }
    assert _unchunked(body, given) == (b"text", {"Content-Type": "text/plain"})
    assert _unchunked(b"plain", {"A": "b"}) == (b"plain", {"A": "b"})
