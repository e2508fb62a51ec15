"""The index of the rules: ids, scopes and selection by name."""

from __future__ import annotations

import pytest

from clusterwright.preflight import registry
from clusterwright.preflight.registry import RuleFile, all_rules, named, rule_files
from clusterwright.preflight.rule_names import UnknownRule


def test_ids_are_unique_and_sorted() -> None:
    ids = [file.id for file in rule_files()]
    assert ids == sorted(set(ids))
    assert len(ids) > 150


def test_scopes_are_read_from_the_files() -> None:
    for file, rule in zip(rule_files(), all_rules(), strict=True):
        assert (rule.id, rule.scope) == (file.id, file.scope)


def test_a_file_with_another_rule_is_a_bug() -> None:
    file = rule_files()[0]
    wrong = RuleFile("CW-Z999", file.scope, file.module)
    with pytest.raises(TypeError, match=f"{file.module} does not have the {file.scope} rule"):
        _ = wrong.rule


def test_rules_by_id_and_family() -> None:
    assert named(["cw-n003"]) == {"CW-N003"}
    family = named(["CW-Q"])
    assert "CW-Q001" in family
    assert all(id_.startswith("CW-Q") for id_ in family)
    assert named([]) == frozenset()


@pytest.mark.parametrize(("name", "near"), [("CW-N0003", "CW-N003"), ("CW-Z", None)])
def test_a_name_that_no_rule_has(name: str, near: str | None) -> None:
    with pytest.raises(UnknownRule) as caught:
        named([name])
    assert caught.value.name == name
    assert near is None or caught.value.near == near


def test_a_family_is_more_than_a_prefix() -> None:
    with pytest.raises(UnknownRule):
        registry.named(["CW-N00"])
