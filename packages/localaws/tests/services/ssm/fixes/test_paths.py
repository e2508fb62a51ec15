"""Tests of services.ssm.fixes.paths."""

from __future__ import annotations

import pytest

from packages.localaws.tests.parts import client, refusal

pytestmark = pytest.mark.usefixtures("aws")


def test_path_of_a_list_begins_with_a_slash() -> None:
    listed = client("ssm").get_parameters_by_path
    assert refusal(listed, Path="a")[0] == "ValidationException"
    assert listed(Path="/a")["Parameters"] == []
