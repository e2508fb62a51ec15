"""Tests of services.ssm.parameters."""

from __future__ import annotations

import pytest

from packages.localaws.tests.parts import client, refusal

pytestmark = pytest.mark.usefixtures("aws")


@pytest.mark.parametrize("name", ["/a//b", "a/b", "/a/", "/a/b c"])
def test_path_that_is_none_is_refused(name: str) -> None:
    code, message = refusal(client("ssm").get_parameter, Name=name)[:2]
    assert code == "ValidationException"
    assert "sub-paths divided by slash symbol" in message


@pytest.mark.parametrize("name", ["a", "/a", "/a/b", "/a/b:1", "b:1"])
def test_name_that_does_not_exist_is_not_found(name: str) -> None:
    assert refusal(client("ssm").get_parameter, Name=name)[0] == "ParameterNotFound"


def test_hierarchy_has_fifteen_levels() -> None:
    put = client("ssm").put_parameter
    levels = [str(number) for number in range(1, 17)]
    put(Name="/" + "/".join(levels[:15]), Value="a", Type="String")
    found = refusal(put, Name="/" + "/".join(levels), Value="a", Type="String")
    assert found[0] == "HierarchyLevelLimitExceededException"


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("a b", "sub-paths divided by slash symbol"),
        ("a$", "sub-paths divided by slash symbol"),
        ("/a/", "sub-paths divided by slash symbol"),
        ("/a//b", "sub-paths divided by slash symbol"),
        ("a/b", "Parameter name must be a fully qualified name."),
        ("a" * 1011, "at most 1011 characters with their ARN"),
    ],
)
def test_names_that_are_refused(name: str, words: str) -> None:
    code, message = refusal(client("ssm").put_parameter, Name=name, Value="a", Type="String")
    assert code == "ValidationException"
    assert words in message


@pytest.mark.parametrize(
    ("tier", "length", "is_taken"),
    [
        (None, 4096, True),
        (None, 4097, False),
        ("Standard", 4097, False),
        ("Advanced", 8192, True),
        ("Advanced", 8193, False),
        ("Intelligent-Tiering", 4097, True),
        ("Intelligent-Tiering", 8193, False),
    ],
)
def test_sizes_of_tiers(tier: str | None, length: int, is_taken: bool) -> None:
    given = {"Name": "a", "Value": "v" * length, "Type": "String"}
    if tier is not None:
        given["Tier"] = tier
    if is_taken:
        client("ssm").put_parameter(**given)
        return
    code, message = refusal(client("ssm").put_parameter, **given)
    assert code == "ValidationException"
    assert ("Standard tier parameters support a maximum" in message) == (length == 4097)


def test_an_advanced_parameter_stays_advanced() -> None:
    ssm = client("ssm")
    ssm.put_parameter(Name="a", Value="v" * 5000, Type="String", Tier="Advanced")
    ssm.put_parameter(Name="a", Value="w" * 5000, Type="String", Overwrite=True)
    code, message = refusal(
        ssm.put_parameter, Name="a", Value="v", Type="String", Tier="Standard", Overwrite=True
    )
    assert code == "ValidationException"
    assert "You can't downgrade a parameter" in message


def test_policies_require_the_advanced_tier() -> None:
    given = {"Name": "a", "Value": "v", "Type": "String", "Policies": '[{"Type": "Expiration"}]'}
    assert refusal(client("ssm").put_parameter, **given)[0] == "ValidationException"
    client("ssm").put_parameter(**given, Tier="Advanced")
