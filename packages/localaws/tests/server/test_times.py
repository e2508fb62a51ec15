"""Tests of server.times."""

from __future__ import annotations

import json
from typing import Any

import pytest

from clusterwright_localaws.server.times import with_times
from packages.localaws.tests.parts import client


def written(service: str, operation: str, protocol: str, body: str) -> str:
    headers = {"Content-Length": str(len(body)), "x-amzn-RequestId": "1"}
    status, kept, text = with_times(service, operation, protocol, (200, headers, body))
    assert status == 200
    assert ("Content-Length" in kept) == (text == body)
    return str(text)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (1764500000.123456, 1764500000.123),
        (1764500000.999999, 1764500000.999),
        (1764500000.000123, 1764500000),
        (1764500000.123, 1764500000.123),
        ("2026-11-30T10:00:00.123456+00:00", 1796032800.123),
        ("2026-11-30T11:00:00+01:00", 1796032800),
        ("2026-11-30 10:00:00.5", 1796032800.5),
    ],
)
def test_seconds_of_json(given: Any, expected: float) -> None:
    body = json.dumps({"KeyMetadata": {"KeyId": "k", "CreationDate": given}})
    found = json.loads(written("kms", "DescribeKey", "json", body))
    assert found == {"KeyMetadata": {"KeyId": "k", "CreationDate": expected}}


def test_texts_that_look_like_times_stay() -> None:
    text = "2026-11-30T10:00:00.123456Z"
    body = json.dumps({"Tags": [{"TagKey": "when", "TagValue": text}]})
    assert written("kms", "ListResourceTags", "json", body) == body
    body = f"<R><Tags><member><Key>CreateDate</Key><Value>{text}</Value></member></Tags></R>"
    assert written("iam", "ListRoleTags", "query", body) == body


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("2026-11-30T10:00:00.123456Z", "2026-11-30T10:00:00.123Z"),
        ("2026-11-30T10:00:00.123456+00:00", "2026-11-30T10:00:00.123Z"),
        ("2026-11-30 10:00:00.123456", "2026-11-30T10:00:00.123Z"),
        ("2026-11-30T10:00:00Z", "2026-11-30T10:00:00Z"),
        ("2026-11-30T10:00:00.000Z", "2026-11-30T10:00:00.000Z"),
    ],
)
def test_texts_of_xml(given: str, expected: str) -> None:
    body = "<ListRolesResult><Roles><member><CreateDate>{}</CreateDate></member></Roles>"
    assert written("iam", "ListRoles", "query", body.format(given)) == body.format(expected)


def test_errors_and_other_bodies_stay() -> None:
    error = (400, {}, '{"CreationDate": 1764500000.123456}')
    assert with_times("kms", "DescribeKey", "json", error) is error
    whole = (200, {}, b"1764500000.123456")
    assert with_times("s3", "GetObject", "rest-xml", whole) is whole


@pytest.mark.usefixtures("aws")
def test_moto_answers_no_microseconds() -> None:
    key = client("kms").create_key()["KeyMetadata"]
    client("iam").create_user(UserName="someone")
    client("secretsmanager").create_secret(Name="s", SecretString="v")
    client("ecr").create_repository(repositoryName="repo")
    client("ssm").put_parameter(Name="p", Value="v", Type="String")
    client("dynamodb").create_table(
        TableName="table",
        BillingMode="PAY_PER_REQUEST",
        KeySchema=[{"AttributeName": "k", "KeyType": "HASH"}],
        AttributeDefinitions=[{"AttributeName": "k", "AttributeType": "S"}],
    )
    times = [
        key["CreationDate"],
        client("iam").get_user(UserName="someone")["User"]["CreateDate"],
        client("secretsmanager").describe_secret(SecretId="s")["CreatedDate"],
        client("ecr").describe_repositories()["repositories"][0]["createdAt"],
        client("ssm").get_parameter(Name="p")["Parameter"]["LastModifiedDate"],
        client("dynamodb").describe_table(TableName="table")["Table"]["CreationDateTime"],
    ]
    assert [str(each) for each in times if each.microsecond % 1000] == []
