"""The services' rules for updates in place: every row is reachable, every refusal fires."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from clusterwright.review import resource_types
from clusterwright.review.resource_changes import resources_of
from clusterwright.review.update_rules import (
    NODES,
    REFUSALS,
    UpdateRule,
    effects,
    refusals,
    rules,
)
from tests.review.templates import SCHEMAS, app, resource, stack
from tests.support.rich_specs import EKS, FULL, HYPERPOD_EKS
from tests.support.synthesis import Build

VALUES: dict[str, tuple[Any, Any]] = {
    "smaller": ("4800", "2400"),
    "grows-by-less-than": ("1000", "1050"),
    "not-a-multiple-of": ("4800", "4801"),
    "changed": ("one", "two"),
    "removed": ("one", None),
    "added": (None, "one"),
    "older": ("2.15", "2.12"),
    "not-the-next-minor": ("1.33", "1.35"),
    "major-without-flag": ("10.11.6", "11.4.3"),
    "capacity-block-with-nodes": ("1", "2"),
}
"""Values before and after that a service refuses."""

NODE_REFUSALS = ("capacity-block-with-nodes",)
ACCEPTED: dict[str, tuple[Any, Any]] = {
    "smaller": ("4800", "36000"),
    "grows-by-less-than": ("1000", "1100"),
    "not-a-multiple-of": ("4800", "36000"),
    "older": ("2.12", "2.15"),
    "not-the-next-minor": ("1.33", "1.34"),
    "major-without-flag": ("10.11.6", "10.11.9"),
}


def body(rule: UpdateRule, value: Any) -> dict[str, Any]:
    """The properties of a resource in which the rule's property has a value."""
    found: dict[str, Any] = {}
    if "capacity-block-with-nodes" in rule.refused:
        found = {"CapacityType": "CAPACITY_BLOCK", "ScalingConfig": {"DesiredSize": "2"}}
    item = found
    *parents, last = rule.property.split(".")
    steps = [*parents, last] if "[" in last else parents
    for step in steps:
        named = re.fullmatch(r"(\w+)\[(\w+)\]", step)
        if named is None:
            item[step] = {}
            item = item[step]
        else:
            own = {named[2]: "a"}
            item[named[1]] = [own]
            item = own
    for path, text in rule.when.items():
        inner = found
        *outer, name = path.split(".")
        for step in outer:
            inner = inner.setdefault(step, {})
        inner[name] = text
    if value is not None:
        item[last if "[" not in last else "Other"] = value
    return found


def versions(rule: UpdateRule, before: Any, after: Any) -> tuple[Any, Any]:
    sides = [
        resources_of(app(a=stack({"R": resource(rule.type, **body(rule, value))})))
        for value in (before, after)
    ]
    return sides[0][("a", "R")], sides[1][("a", "R")]


_EFFECTS = re.compile(
    r"\b(wait|rebalanc|replaces? (every|all)|drain|some at a time|interrupt|down during|to days)"
)
"""Words for what a change does while it is carried out."""

REFUSED = [(rule, words) for rule in rules() for words in rule.refused]


@pytest.mark.parametrize(
    ("rule", "words"), REFUSED, ids=[f"{r.type}.{r.property} {w}" for r, w in REFUSED]
)
def test_refused_update_is_a_blocker_with_its_source(rule: UpdateRule, words: str) -> None:
    name = words.partition(" ")[0]
    (found,) = refusals(*versions(rule, *VALUES[name]))
    assert found.where == "a/R"
    assert found.kind == ("cannot-shrink" if name == "smaller" else "cannot-change")
    assert found.message.endswith(f" ({rule.source})")
    # What an accepted change does (waits, replaced nodes) is not said of a refused one.
    assert (rule.says in found.message) is ("changed" in rule.refused)
    effect = re.sub(r" \([^()]*(\([^()]*\)[^()]*)*\)$", "", found.message)
    assert not _EFFECTS.search(effect), effect
    assert found.hint == rule.hint
    assert list(effects(*versions(rule, *VALUES[name]))) == []
    others = {other.partition(" ")[0] for other in rule.refused} - {name}
    if name in ACCEPTED and not others & {"changed", "major-without-flag", *NODE_REFUSALS}:
        assert list(refusals(*versions(rule, *ACCEPTED[name]))) == []


@pytest.mark.parametrize("rule", rules(), ids=[f"{r.type}.{r.property}" for r in rules()])
def test_every_row_is_reached(rule: UpdateRule) -> None:
    """An accepted change of the property has the row's effect, or the row refuses every change."""
    if {"changed", "capacity-block-with-nodes"} & set(rule.refused):
        return
    before, after = "12000", "36000"
    if any(words.partition(" ")[0] in ("older", "major-without-flag") for words in rule.refused):
        before, after = "10.11.6", "10.11.9"
    if "not-the-next-minor" in rule.refused:
        before, after = "1.33", "1.34"
    (found,) = effects(*versions(rule, before, after))
    assert (found.nodes, found.source, found.date) == (rule.nodes, rule.source, rule.date)
    assert found.message.startswith(rule.says)
    assert (f"within {rule.waits_hours} hours" in found.message) is (rule.waits_hours is not None)


def test_rows_are_complete() -> None:
    keys = [(r.type, r.property, tuple(sorted(r.when.items()))) for r in rules()]
    assert len(keys) == len(set(keys))
    for rule in rules():
        assert rule.nodes in NODES, rule.property
        assert {words.partition(" ")[0] for words in rule.refused} <= REFUSALS, rule.property
        assert rule.hint or not rule.refused, rule.property
        assert re.fullmatch(r"\d{4}-\d\d-\d\d", rule.date), rule.property
        assert SCHEMAS.of(rule.type) is not None or rule.type.startswith("Custom::"), rule.type
    assert {words.partition(" ")[0] for r in rules() for words in r.refused} == REFUSALS


def test_capacity_block_without_nodes_can_be_updated() -> None:
    rule = next(r for r in rules() if r.property == "ReleaseVersion")
    before, after = versions(rule, "1", "2")
    assert list(refusals(before, after))
    for side in (before, after):
        side.properties["ScalingConfig"]["DesiredSize"] = "0"
    assert list(refusals(before, after)) == []
    assert [found.nodes for found in effects(before, after)] == ["rolling"]


def test_major_version_can_be_allowed() -> None:
    rule = next(r for r in rules() if r.property == "EngineVersion")
    before, after = versions(rule, "10.11.6", "11.4.3")
    after.properties["AllowMajorVersionUpgrade"] = "true"
    assert list(refusals(before, after)) == []


def test_values_known_at_deployment_only_are_not_refused() -> None:
    rule = next(r for r in rules() if r.property.endswith("OverrideVpcConfig"))
    before, after = versions(rule, {"Ref": "A"}, {"Ref": "B"})
    assert list(refusals(before, after)) == []


CHECKED = (
    "AWS::EKS::Cluster",
    "AWS::EKS::Nodegroup",
    "AWS::FSx::DataRepositoryAssociation",
    "AWS::FSx::FileSystem",
    "AWS::RDS::DBInstance",
    "AWS::SageMaker::Cluster",
)
SETTINGS = {
    ("AWS::EKS::Cluster", "DeletionProtection"),
    ("AWS::EKS::Cluster", "AccessConfig"),
    ("AWS::EKS::Cluster", "KubernetesNetworkConfig"),
    ("AWS::EKS::Cluster", "UpgradePolicy"),
    ("AWS::FSx::FileSystem", "SecurityGroupIds"),
    ("AWS::RDS::DBInstance", "AutoMinorVersionUpgrade"),
    ("AWS::RDS::DBInstance", "CopyTagsToSnapshot"),
    ("AWS::RDS::DBInstance", "DeleteAutomatedBackups"),
    ("AWS::RDS::DBInstance", "DeletionProtection"),
    ("AWS::RDS::DBInstance", "EnableCloudwatchLogsExports"),
    ("AWS::RDS::DBInstance", "PubliclyAccessible"),
}
"""Properties that concern neither data nor nodes, or that CloudFormation does not change."""


@pytest.mark.parametrize("spec", [FULL, HYPERPOD_EKS, EKS], ids=["slurm", "hyperpod-eks", "eks"])
def test_every_property_of_the_stacks_has_a_rule(spec: dict[str, Any], build: Build) -> None:
    """Create-only by the schema or by the documentation, a row of the table, or a setting."""
    templates = app(**build(spec).templates)
    known: dict[str, Callable[[str], bool]] = {}
    for kind in CHECKED:
        schema = SCHEMAS.of(kind)
        assert schema is not None
        replacing = {
            *(pointer[0] for pointer in schema.create_only),
            *(pointer[0] for pointer in schema.conditional_create_only),
            *(pointer[0] for pointer, _ in resource_types.REPLACED_TOO.get(kind, ())),
            *(name for other, name in resource_types.IN_PLACE if other == kind),
            *(pointer[0] for other, pointer in resource_types.INTERRUPTS if other == kind),
        }
        table = {re.split(r"[.\[]", rule.property)[0] for rule in rules() if rule.type == kind}
        settings = {name for other, name in SETTINGS if other == kind}
        names = replacing | table | settings | {"Tags"}
        known[kind] = names.__contains__
    missing = {
        (side.type, name)
        for side in resources_of(templates).values()
        if side.type in known
        for name in side.properties
        if not known[side.type](name)
    }
    assert missing == set()
