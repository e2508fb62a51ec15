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
