"""Tests of services.ssm.fixes.selectors."""

from __future__ import annotations

import pytest

from packages.localaws.tests.parts import client


@pytest.mark.usefixtures("aws")
def test_a_version_or_a_label_is_the_selector() -> None:
    ssm = client("ssm")
    ssm.put_parameter(Name="/a", Value="1", Type="String")
    ssm.label_parameter_version(Name="/a", Labels=["first"])
    arn = ssm.get_parameter(Name="/a")["Parameter"]["ARN"]
    selectors = {
        name: ssm.get_parameter(Name=name)["Parameter"].get("Selector")
        for name in ("/a", "/a:1", "/a:first", arn)
    }
    assert selectors == {"/a": None, "/a:1": ":1", "/a:first": ":first", arn: None}
    (found,) = ssm.get_parameters(Names=["/a:1"])["Parameters"]
    assert (found["Name"], found["Selector"]) == ("/a", ":1")
