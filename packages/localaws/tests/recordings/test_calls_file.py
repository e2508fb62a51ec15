"""The file of a recording: what is written, and that no secret is."""

from __future__ import annotations

import json
import stat
from pathlib import Path
from typing import Any

import pytest

from clusterwright_localaws.recordings.calls_file import RecordingError, Writer, read

SECRET = "correct-horse-battery"


def line(service: str, operation: str) -> dict[str, Any]:
    return {
        "time": "2026-01-01T00:00:00Z",
        "service": service,
        "operation": operation,
        "region": "us-east-1",
        "status": 200,
        "error": None,
    }


def written(path: Path, *calls: tuple[str, str, Any, Any]) -> str:
    writer = Writer(path)
    for service, operation, parameters, answer in calls:
        writer.call(line(service, operation), parameters, answer)
    writer.close()
    return path.read_text()


def test_calls_are_read_as_written(tmp_path: Path) -> None:
    path = tmp_path / "calls.jsonl"
    written(path, ("ec2", "DescribeVpcs", {"MaxResults": 5}, {"Vpcs": [{"VpcId": "vpc-1"}]}))
    (found,) = read(path)
    assert found["number"] == 1
    assert found["parameters"] == {"MaxResults": 5}
    assert found["answer"] == {"Vpcs": [{"VpcId": "vpc-1"}]}
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


@pytest.mark.parametrize(
    ("service", "operation", "parameters", "answer"),
    [
        ("secretsmanager", "CreateSecret", {"Name": "n", "SecretString": SECRET}, {}),
        ("secretsmanager", "CreateSecret", {"Name": "n", "SecretBinary": SECRET.encode()}, {}),
        ("secretsmanager", "GetSecretValue", {"SecretId": "n"}, {"SecretString": SECRET}),
        ("secretsmanager", "GetRandomPassword", {}, {"RandomPassword": SECRET}),
        ("ssm", "PutParameter", {"Name": "n", "Value": SECRET, "Type": "SecureString"}, {}),
        ("ssm", "GetParameter", {"Name": "n"}, {"Parameter": {"Name": "n", "Value": SECRET}}),
        ("rds", "CreateDBInstance", {"MasterUserPassword": SECRET}, {}),
        ("sts", "AssumeRole", {"RoleArn": "r"}, {"Credentials": {"SecretAccessKey": SECRET}}),
        ("sts", "AssumeRole", {"RoleArn": "r"}, {"Credentials": {"SessionToken": SECRET}}),
        ("iam", "CreateAccessKey", {}, {"AccessKey": {"SecretAccessKey": SECRET}}),
        ("kms", "Encrypt", {"KeyId": "k", "Plaintext": SECRET.encode()}, {}),
        ("kms", "Decrypt", {}, {"Plaintext": SECRET.encode()}),
        ("ec2", "CreateKeyPair", {"KeyName": "k"}, {"KeyMaterial": SECRET}),
        (
            "ecr",
            "GetAuthorizationToken",
            {},
            {"authorizationData": [{"authorizationToken": SECRET}]},
        ),
        (
            "lambda",
            "CreateFunction",
            {"FunctionName": "f", "Environment": {"Variables": {"KEY": SECRET}}},
            {},
        ),
        (
            "cloudformation",
            "CreateStack",
            {
                "StackName": "s",
                "TemplateBody": '{"Parameters": {"P": {"Type": "String", "NoEcho": true}}}',
                "Parameters": [{"ParameterKey": "P", "ParameterValue": SECRET}],
            },
            {},
        ),
        (
            "cloudformation",
            "CreateStack",
            {"StackName": "s", "TemplateBody": f'{{"MasterUserPassword": "{SECRET}"}}'},
            {},
        ),
        (
            "cloudformation",
            "CreateStack",
            {"StackName": "s", "TemplateBody": f"Properties:\n  Password: {SECRET}\n  Name: n\n"},
            {},
        ),
    ],
)
def test_no_secret_is_written(
    tmp_path: Path, service: str, operation: str, parameters: Any, answer: Any
) -> None:
    text = written(tmp_path / "calls.jsonl", (service, operation, parameters, answer))
    assert SECRET not in text
    assert "<redacted>" in text


def test_secret_is_replaced_wherever_it_occurs_again(tmp_path: Path) -> None:
    document = json.dumps({"username": "ann", "password": SECRET})
    text = written(
        tmp_path / "calls.jsonl",
        ("secretsmanager", "CreateSecret", {"Name": "n", "SecretString": document}, {}),
        ("ec2", "CreateTags", {"Tags": [{"Key": "x", "Value": f"is {SECRET}!"}]}, {}),
    )
    assert SECRET not in text
    assert "is <redacted>!" in text


def test_references_in_templates_stay(tmp_path: Path) -> None:
    template = '{"MasterUserPassword": {"Ref": "P"}, "Password": "{{resolve:secretsmanager:n}}"}'
    parameters = {"StackName": "s", "TemplateBody": template}
    text = written(tmp_path / "f", ("cloudformation", "CreateStack", parameters, {}))
    assert json.loads(text.splitlines()[1])["parameters"]["TemplateBody"] == template


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the file is empty"),
        ("{", "line 1 is not JSON"),
        ("{}\n", "the first line is not that of a recording"),
        ('{"kind": "localaws-recording", "schema_version": 1}\n{}\n', "line 2 is no call"),
        ('{"kind": "localaws-recording", "schema_version": 1}\n[]\n', "line 2 is no object"),
    ],
)
def test_damaged_file(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "f"
    path.write_text(text)
    with pytest.raises(RecordingError, match=message):
        list(read(path))
