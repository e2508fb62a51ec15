"""Tests of cloudformation.includes."""

from __future__ import annotations

import json
from typing import Any

import pytest

from clusterwright_localaws.cloudformation.errors import ValidationError
from clusterwright_localaws.cloudformation.includes import include, includes
from packages.localaws.tests.recursion import recursion_limit

OBJECTS = {
    "topic.yaml": "Topic:\n  Type: AWS::SNS::Topic\n  Properties:\n    Version: 2012-10-17\n",
    "name.json": '{"TopicName": "one"}',
    "sections.yaml": "Outputs:\n  Two: {Value: b}\nConditions: {}\n",
    "short.yaml": "A: !Ref B\n",
    "again.json": json.dumps(
        {"Fn::Transform": {"Name": "AWS::Include", "Parameters": {"Location": "s3://b/name.json"}}}
    ),
    "list.json": "[1]",
    "text.yaml": "a: [",
    "number.json": '{"A": ' + "1" * 5000 + "}",
    "tabs.json": '\ufeff{\n\t"TopicName":\t"one"\n}',
}


def read(bucket: str, key: str) -> str:
    assert bucket == "b"
    return OBJECTS[key]


def of(location: Any) -> dict[str, Any]:
    return {"Name": "AWS::Include", "Parameters": {"Location": location}}


def test_a_snippet_beside_others() -> None:
    body = {
        "Parameters": {"Where": {"Type": "String"}},
        "Resources": {
            "Fn::Transform": of("s3://b/topic.yaml"),
            "Other": {"Type": "T", "Properties": {"Fn::Transform": [of({"Ref": "Where"})]}},
        },
    }
    assert includes(body)
    found = include(body, {"Where": "s3://b/name.json"}, read)
    assert not includes(found)
    assert found["Parameters"] == body["Parameters"]
    assert found["Resources"] == {
        "Topic": {"Type": "AWS::SNS::Topic", "Properties": {"Version": "2012-10-17"}},
        "Other": {"Type": "T", "Properties": {"TopicName": "one"}},
    }


def test_sections_of_a_template() -> None:
    body = {"Transform": of("s3://b/sections.yaml"), "Resources": {"A": {"Type": "T"}}}
    found = include(body, {}, read)
    assert found == {**body, "Outputs": {"Two": {"Value": "b"}}, "Conditions": {}}


@pytest.mark.parametrize(
    ("location", "message"),
    [
        ("../topic.yaml", "The location parameter is not a valid S3 uri."),
        ("s3://b", "The location parameter is not a valid S3 uri."),
        ("s3://[b/name.json", "The location parameter is not a valid S3 uri."),
        ({"Ref": "None"}, "The location parameter is not a valid S3 uri."),
        ({"Fn::Sub": "s3://${None}/name.json"}, "The location parameter is not a valid S3 uri."),
        ({"Fn::Join": ["/", 1]}, "The location parameter is not a valid S3 uri."),
        *(
            (f"s3://b/{name}", "The specified S3 object's content should be valid Yaml/JSON.")
            for name in ("short.yaml", "again.json", "list.json", "text.yaml", "number.json")
        ),
    ],
)
def test_what_cannot_be_included(location: Any, message: str) -> None:
    body = {"Resources": {"Fn::Transform": of(location)}}
    with pytest.raises(ValidationError) as refused:
        include(body, {}, read)
    assert str(refused.value) == f"Transform AWS::Include failed with: {message}"


def test_names_that_are_there_already() -> None:
    """Within a section as recorded on AWS by LocalStack's tests."""
    body = {"Resources": {"Topic": {"Type": "T"}, "Fn::Transform": of("s3://b/topic.yaml")}}
    assert include(body, {}, read)["Resources"]["Topic"]["Type"] == "AWS::SNS::Topic"
    body = {"Transform": of("s3://b/sections.yaml"), "Outputs": {"One": {"Value": "a"}}}
    with pytest.raises(ValidationError, match="both have Outputs"):
        include(body, {}, read)


@pytest.mark.parametrize(
    "location",
    [
        {"Ref": "Where"},
        {"Fn::Sub": "s3://${Bucket}/name.json"},
        {"Fn::Join": ["/", ["s3:/", {"Ref": "Bucket"}, "name.json"]]},
        "s3://b/tabs.json",
    ],
)
def test_locations(location: Any) -> None:
    values = {"Where": "s3://b/name.json", "Bucket": "b"}
    body = {"Resources": {"Fn::Transform": of(location)}}
    assert include(body, values, read) == {"Resources": {"TopicName": "one"}}


def test_work_is_bounded() -> None:
    body = {"Resources": [{"Fn::Transform": of("s3://b/name.json")}] * 501}
    with pytest.raises(ValidationError, match="more than 500 times"):
        include(body, {}, read)


def test_templates_that_are_nested_deeply() -> None:
    node: Any = {"Fn::Transform": of("s3://b/name.json")}
    for _ in range(2_000):
        node = [node]
    with recursion_limit(1_500), pytest.raises(ValidationError, match="nested too deeply"):
        include({"Resources": node}, {}, read)


def test_other_transforms_stay() -> None:
    body = {"Resources": {"Fn::Transform": [{"Name": "Mine"}, of("s3://b/topic.yaml")]}}
    found = include(body, {}, read)["Resources"]
    assert found["Fn::Transform"] == [{"Name": "Mine"}]
    assert "Topic" in found
