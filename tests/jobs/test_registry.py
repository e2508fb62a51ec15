"""The index of the rules on job files."""

from __future__ import annotations

import pytest

from clusterwright.jobs.registry import all_rules, manifest_rules, named
from clusterwright.preflight.rule_names import UnknownRule


def test_rules_by_id() -> None:
    assert named(["cw-j001", "CW-J010"]) == {"CW-J001", "CW-J010"}
    assert named([]) == frozenset()
    assert named(["cw-j070"]) == {"CW-J070"}
    assert all_rules() is all_rules()


def test_kinds_of_files_have_different_rules() -> None:
    batch, manifests = ({rule.id for rule in rules} for rules in (all_rules(), manifest_rules()))
    assert "CW-J010" in batch
    decades = ("CW-J07", "CW-J08", "CW-J09")
    assert manifests == {id_ for id_ in manifests if id_.startswith(decades)}
    assert not batch & manifests


@pytest.mark.parametrize(("name", "near"), [("CW-J0001", "CW-J001"), ("x", None)])
def test_a_name_that_no_rule_has(name: str, near: str | None) -> None:
    with pytest.raises(UnknownRule) as caught:
        named([name])
    assert (caught.value.name, caught.value.near) == (name, near)
