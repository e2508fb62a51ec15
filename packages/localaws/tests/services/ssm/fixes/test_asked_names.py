"""Tests of services.ssm.fixes.asked_names."""

from __future__ import annotations

import pytest

from packages.localaws.tests.parts import client


@pytest.mark.usefixtures("aws")
@pytest.mark.parametrize("stored", ["name", "/name"])
def test_a_parameter_of_the_root_has_the_name_that_was_asked_for(stored: str) -> None:
    ssm = client("ssm")
    ssm.put_parameter(Name=stored, Value="v", Type="String")
    for asked in ("name", "/name"):
        assert ssm.get_parameter(Name=asked)["Parameter"]["Name"] == asked
        (found,) = ssm.get_parameters(Names=[asked])["Parameters"]
        assert found["Name"] == asked
    assert ssm.get_parameter(Name=found["ARN"])["Parameter"]["Name"] == stored


@pytest.mark.usefixtures("aws")
def test_a_missing_secret_is_invalid() -> None:
    client("secretsmanager").create_secret(Name="there", SecretString="x")
    there, missing = (f"/aws/reference/secretsmanager/{name}" for name in ("there", "missing"))
    for names, found in (([there, missing, "none"], [there]), ([missing], [])):
        answer = client("ssm").get_parameters(Names=names, WithDecryption=True)
        assert [one["Name"] for one in answer["Parameters"]] == found
        assert sorted(answer["InvalidParameters"]) == sorted({*names} - {*found})
