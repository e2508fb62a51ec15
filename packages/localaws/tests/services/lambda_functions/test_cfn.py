"""Functions, layers and permissions of a template."""

from __future__ import annotations

import io
import json
import zipfile
from typing import Any

import pytest

from clusterwright_localaws.services.lambda_functions.cfn import (
    Function,
    LayerVersion,
    Permission,
    _code,
)
from packages.localaws.tests.handlers import context, tags, trust
from packages.localaws.tests.parts import client, refusal


@pytest.fixture
def function(local: None) -> dict[str, Any]:
    role = client("iam").create_role(
        RoleName="r", AssumeRolePolicyDocument=json.dumps(trust("lambda.amazonaws.com"))
    )["Role"]["Arn"]
    return {
        "Code": {"ZipFile": "def handler(event, context): pass"},
        "Handler": "index.handler",
        "Runtime": "python3.13",
        "Role": role,
    }


def test_a_function_is_created_changed_and_deleted(function: dict[str, Any]) -> None:
    functions = client("lambda")
    before = {
        **function,
        "Environment": {"Variables": {"SIZE": "1"}},
        "ReservedConcurrentExecutions": 2,
        "Tags": tags(a="1"),
    }
    created = Function().create(context(), before)
    name, arn = created.physical_id, created.attributes["Arn"]
    assert arn.endswith(f":function:{name}")
    assert functions.get_function(FunctionName=name)["Configuration"]["FunctionArn"] == arn
    actual = Function().read(context(), name, before)
    assert (actual["Runtime"], actual["Environment"]) == (
        "python3.13",
        {"Variables": {"SIZE": "1"}},
    )
    reserved = functions.get_function_concurrency(FunctionName=name)
    assert reserved["ReservedConcurrentExecutions"] == 2
    after = {**function, "Timeout": 9, "Code": {"ZipFile": "x = 1"}, "Tags": tags(b="2")}
    Function().update(context(), name, before, after)
    assert Function().read(context(), name, after)["Timeout"] == 9
    assert functions.list_tags(Resource=arn)["Tags"] == {"b": "2"}
    assert "ReservedConcurrentExecutions" not in functions.get_function_concurrency(
        FunctionName=name
    )
    Function().delete(context(), name, after)
    assert refusal(functions.get_function, FunctionName=name)[0] == "ResourceNotFoundException"


def test_a_layer_and_a_permission(function: dict[str, Any]) -> None:
    functions = client("lambda")
    name = Function().create(context(), function).physical_id
    s3 = client("s3")
    s3.create_bucket(Bucket="code")
    s3.put_object(Bucket="code", Key="k.zip", Body=_code(function)["ZipFile"])
    layer = LayerVersion().create(
        context("Layer"), {"Content": {"S3Bucket": "code", "S3Key": "k.zip"}}
    )
    assert layer.physical_id.endswith(":1")
    LayerVersion().delete(context("Layer"), layer.physical_id, {})
    assert functions.list_layers()["Layers"] == []
    properties = {
        "Action": "lambda:InvokeFunction",
        "FunctionName": name,
        "Principal": "events.amazonaws.com",
    }
    permission = Permission().create(context("Permission"), properties)
    statement = json.loads(functions.get_policy(FunctionName=name)["Policy"])["Statement"][0]
    assert statement["Sid"] == permission.physical_id
    Permission().delete(context("Permission"), permission.physical_id, properties)
    assert refusal(functions.get_policy, FunctionName=name)[0] == "ResourceNotFoundException"


@pytest.mark.parametrize(
    ("runtime", "name"), [("python3.13", "index.py"), ("nodejs22.x", "index.js")]
)
def test_inline_code_is_the_file_of_its_handler(runtime: str, name: str) -> None:
    packed = _code({"Code": {"ZipFile": "text"}, "Runtime": runtime})["ZipFile"]
    with zipfile.ZipFile(io.BytesIO(packed)) as archive:
        assert archive.namelist() == [name]
        assert archive.read(name) == b"text"


def test_code_in_a_bucket_stays_where_it_is() -> None:
    code = {"S3Bucket": "b", "S3Key": "k"}
    assert _code({"Code": code}) == code
