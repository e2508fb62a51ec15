"""The file of a recording: what is written, and that no secret is."""

from __future__ import annotations

import base64
import json
import stat
from pathlib import Path
from typing import Any
from urllib.parse import quote, quote_plus

import pytest

from clusterwright_localaws.cloudformation.template_text import parse_text
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


def secret_of(value: Any, **sections: Any) -> dict[str, Any]:
    properties = {"Name": "n", "SecretString": value}
    return {
        "Resources": {"S": {"Type": "AWS::SecretsManager::Secret", "Properties": properties}},
        **sections,
    }


YAML = """Resources:
  S:
    Type: AWS::SecretsManager::Secret
    Properties:
      Name: n
      SecretString: {}
"""
TEMPLATES = {
    "default of NoEcho": {
        "Parameters": {"P": {"Type": "String", "NoEcho": True, "Default": SECRET}},
        "Resources": {"T": {"Type": "AWS::SNS::Topic"}},
    },
    "default of a parameter that a secret refers to": secret_of(
        {"Ref": "P"}, Parameters={"P": {"Type": "String", "Default": SECRET}}
    ),
    "Sub": YAML.format(f"!Sub '{SECRET}${{AWS::Region}}'"),
    "Join": YAML.format(f"!Join ['', [{SECRET}]]"),
    "long form of Sub": secret_of({"Fn::Sub": [f"${{A}}{SECRET}", {"A": SECRET}]}),
    "If": secret_of({"Fn::If": ["C", SECRET, {"Ref": "AWS::NoValue"}]}),
    "block": YAML.format(f"|\n        {SECRET}"),
    "folded block": YAML.format(f">-\n        {SECRET}"),
    "plain": YAML.format(SECRET),
    "document": secret_of(json.dumps({"user": "ann", "word": SECRET})),
    "comma": YAML.format(f"a,{SECRET}"),
    "brace": YAML.format(f"a{{{SECRET}"),
    "ampersand": YAML.format(f"a&{SECRET}"),
    "number sign": YAML.format(f"'a#{SECRET}'"),
    "mapping": secret_of(
        {"Fn::FindInMap": ["M", {"Ref": "AWS::Region"}, "word"]},
        Mappings={"M": {"us-east-1": {"word": SECRET, "size": "small"}}},
    ),
    "UserData": {
        "Resources": {
            "I": {
                "Type": "AWS::EC2::Instance",
                "Properties": {"UserData": {"Fn::Base64": f"#!/bin/sh\nrun {SECRET}\n"}},
            }
        }
    },
    "variables of a function": {
        "Resources": {
            "F": {
                "Type": "AWS::Lambda::Function",
                "Properties": {"Environment": {"Variables": {"WORD": SECRET}}},
            }
        }
    },
    "write-only": {
        "Resources": {
            "B": {
                "Type": "AWS::AmazonMQ::Broker",
                "Properties": {"Users": [{"Username": "ann", "Other": SECRET}]},
            }
        }
    },
    "not a template": f"SecretString: 'x\n{SECRET}",
}


@pytest.mark.parametrize("name", TEMPLATES)
def test_no_secret_of_a_template_is_written(tmp_path: Path, name: str) -> None:
    template = TEMPLATES[name]
    body = template if isinstance(template, str) else json.dumps(template)
    given = {"StackName": "s", "TemplateBody": body}
    text = written(
        tmp_path / "calls.jsonl",
        ("cloudformation", "CreateStack", given, {}),
        ("cloudformation", "GetTemplate", {"StackName": "s"}, {"TemplateBody": body}),
    )
    assert SECRET not in text
    call = json.loads(text.splitlines()[1])["parameters"]
    assert call["StackName"] == "s"
    if name == "not a template":
        assert call["TemplateBody"] == {"bytes": len(body)}
    else:
        shown = parse_text(call["TemplateBody"])
        assert shown.keys() == parse_text(body).keys()
        assert shown["Resources"].keys() == parse_text(body)["Resources"].keys()
        assert "<redacted>" in call["TemplateBody"]


def test_members_that_are_no_secret_stay(tmp_path: Path) -> None:
    template = {
        "Parameters": {"P": {"Type": "String", "Default": "nothing"}},
        "Mappings": {"M": {"us-east-1": {"word": SECRET, "size": "small"}}},
        "Resources": {
            "DbSecret": {
                "Type": "AWS::SecretsManager::Secret",
                "Properties": {
                    "GenerateSecretString": {
                        "SecretStringTemplate": '{"username": "ann"}',
                        "GenerateStringKey": "password",
                    }
                },
            },
            "F": {
                "Type": "AWS::Lambda::Function",
                "Properties": {"Code": {"S3Bucket": "assets-1", "S3Key": "asset-key.zip"}},
            },
            "D": {
                "Type": "AWS::RDS::DBInstance",
                "Properties": {"ManageMasterUserPassword": True, "Engine": "mysql"},
            },
        },
    }
    body = json.dumps(template)
    given = {"StackName": "s", "TemplateBody": body}
    text = written(tmp_path / "f", ("cloudformation", "CreateStack", given, {}))
    assert json.loads(text.splitlines()[1])["parameters"]["TemplateBody"] == body


@pytest.mark.parametrize("operation", ["ValidateTemplate", "GetTemplateSummary"])
def test_defaults_of_no_echo_parameters_are_not_written(tmp_path: Path, operation: str) -> None:
    declared = {"ParameterKey": "P", "DefaultValue": SECRET, "NoEcho": True}
    text = written(tmp_path / "f", ("cloudformation", operation, {}, {"Parameters": [declared]}))
    assert SECRET not in text
    assert '"NoEcho": true' in text


@pytest.mark.parametrize("secret", [SECRET, 'quo"ted-wörd', "a b&c=d/e+f", "two\nlines of it"])
@pytest.mark.parametrize("form", ["document", "within a document", "query", "form", "base64"])
def test_known_secret_is_replaced_in_every_form(tmp_path: Path, secret: str, form: str) -> None:
    later = {
        "document": json.dumps({"Description": f"is {secret}!"}),
        "within a document": json.dumps({"Description": json.dumps({"a": f"is {secret}!"})}),
        "query": f"http://host/path?a={quote(secret, safe='')}&b=1",
        "form": f"a={quote_plus(secret)}&b=1",
        "base64": base64.b64encode(secret.encode()).decode(),
    }[form]
    text = written(
        tmp_path / "f",
        ("secretsmanager", "CreateSecret", {"Name": "n", "SecretString": secret}, {}),
        ("ec2", "CreateTags", {"Tags": [{"Key": "x", "Value": later}]}, {}),
    )
    value = json.loads(text.splitlines()[2])["parameters"]["Tags"][0]["Value"]
    assert "<redacted>" in value
    assert not any(
        part in value for part in (secret, json.dumps(secret)[1:-1], quote(secret), later)
    )


@pytest.mark.parametrize(
    ("service", "operation", "parameters"),
    [
        ("sns", "Subscribe", {"Endpoint": f"https://h/x?a=1&token={SECRET}&b=2"}),
        ("sqs", "SendMessage", {"MessageBody": json.dumps({"a": {"password": SECRET}})}),
        ("sqs", "SendMessage", {"MessageBody": f"password=a,{SECRET}&x"}),
        ("sqs", "SendMessage", {"MessageBody": f'the password: "a\\"{SECRET}"'}),
        (
            "logs",
            "PutLogEvents",
            {"logEvents": [{"message": f'x {{\\"api_key\\": \\"{SECRET}\\"}}'}]},
        ),
    ],
)
def test_no_secret_of_a_text_is_written(
    tmp_path: Path, service: str, operation: str, parameters: Any
) -> None:
    text = written(tmp_path / "f", (service, operation, parameters, {}))
    assert SECRET not in text
    assert "<redacted>" in text


def test_secret_that_is_no_valid_text(tmp_path: Path) -> None:
    document = json.dumps({"password": "half \ud800 of a pair"})
    text = written(tmp_path / "f", ("sqs", "SendMessage", {"MessageBody": document}, {}))
    assert "of a pair" not in text


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
