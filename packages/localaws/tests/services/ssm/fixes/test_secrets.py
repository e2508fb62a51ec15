"""Tests of services.ssm.fixes.secrets."""

from __future__ import annotations

import json

import pytest

from packages.localaws.tests.parts import client


@pytest.mark.usefixtures("aws")
def test_secret_has_the_name_of_the_parameter() -> None:
    client("secretsmanager").create_secret(Name="a/b", SecretString="x")
    name = "/aws/reference/secretsmanager/a/b"
    found = client("ssm").get_parameter(Name=name, WithDecryption=True)["Parameter"]
    assert (found["Name"], found["Value"]) == (name, "x")
    source = json.loads(found["SourceResult"])
    assert source["name"] == "a/b"
    assert ":secretsmanager:" in source["ARN"]
