"""Tests of services.ssm.fixes.allowed_patterns."""

from __future__ import annotations

import pytest

from packages.localaws.tests.parts import client, refusal


@pytest.mark.usefixtures("aws")
def test_value_is_compared_with_the_pattern() -> None:
    ssm = client("ssm")
    given = {"Name": "/n", "Type": "String", "AllowedPattern": r"^\d+$"}
    ssm.put_parameter(Value="12", **given)
    assert ssm.get_parameter(Name="/n")["Parameter"]["Value"] == "12"
    found = refusal(ssm.put_parameter, Value="letters", Overwrite=True, **given)
    assert "ParameterPatternMismatchException" in str(found)
    assert ssm.get_parameter(Name="/n")["Parameter"]["Value"] == "12"


@pytest.mark.usefixtures("aws")
def test_pattern_that_is_none() -> None:
    given = {"Name": "/n", "Type": "String", "Value": "a", "AllowedPattern": "("}
    found = refusal(client("ssm").put_parameter, **given)
    assert "InvalidAllowedPatternException" in str(found)


@pytest.mark.usefixtures("aws")
def test_pattern_that_takes_too_long_is_not_compared() -> None:
    given = {"Name": "/n", "Type": "String", "AllowedPattern": "(a|aa)+$"}
    client("ssm").put_parameter(Value="a" * 40 + "!", **given)
    assert client("ssm").get_parameter(Name="/n")["Parameter"]["Value"].endswith("!")
