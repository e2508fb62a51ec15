"""The index of the rules on job files."""

from __future__ import annotations

import pytest

from clusterwright.jobs.registry import all_rules, named
from clusterwright.preflight.rule_names import UnknownRule


def test_rules_by_id() -> None:
    assert named(["cw-j001", "CW-J010"]) == {"CW-J001", "CW-J010"}
    assert named([]) == frozenset()
    assert all_rules() is all_rules()


@pytest.mark.parametrize(("name", "near"), [("CW-J0001", "CW-J001"), ("x", None)])
def test_a_name_that_no_rule_has(name: str, near: str | None) -> None:
    with pytest.raises(UnknownRule) as caught:
        named([name])
    assert (caught.value.name, caught.value.near) == (name, near)
