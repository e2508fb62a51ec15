"""Every rule applies to every platform, or states why it does not."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from clusterwright.platforms.registry import PLATFORMS
from clusterwright.preflight.registry import all_rules
from clusterwright.preflight.rule_platforms import LIMITS, limits_of, platforms_text
from clusterwright.preflight.rules_page import page
from tests.preflight.platform_specs import BASES, rules_with_subjects

IDS = frozenset(rule.id for rule in all_rules())
NOT_BY_SPEC = {
    "CW-E010": "its subject is the file's place in configs/",
    "CW-L013": "its subjects are changed scripts of the repository",
    "CW-W003": "its subjects are the findings of other rules",
}
"""Rules whose subjects depend on more than the spec."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("platforms")


def test_there_are_specs_of_every_platform() -> None:
    assert set(BASES) == set(PLATFORMS)


@pytest.mark.parametrize("platform", PLATFORMS)
def test_a_rule_has_subjects_where_it_applies_and_none_elsewhere(
    platform: str, folder: Path
) -> None:
    found = rules_with_subjects(platform, folder)
    limited = {rule for rule in IDS if platform in limits_of(rule)}
    decided = IDS - NOT_BY_SPEC.keys()
    assert sorted(decided - limited - found) == [], "no spec has a subject: state why, or mend it"
    assert sorted(limited & found) == [], "the rule has subjects: its limit is wrong"


def test_limits_name_rules_and_platforms_once() -> None:
    pairs = Counter((r, p) for limit in LIMITS for r in limit.rules for p in limit.platforms)
    assert {pair for pair, count in pairs.items() if count > 1} == set()
    assert {rule for rule, _ in pairs} <= IDS
    for rule, _ in pairs:
        assert limits_of(rule).keys() < set(PLATFORMS), f"{rule} applies to no platform"


def test_reasons_are_in_the_reference() -> None:
    text = page()
    assert platforms_text("CW-N003") == "all platforms."
    assert platforms_text("CW-L004") == (
        "hyperpod-slurm, hyperpod-eks, eks; not parallelcluster: slurmctld replaces failed nodes, "
        "and no key of the spec changes that; not pcs: PCS replaces failed instances, and no key "
        "of the spec changes that."
    )
    for rule in all_rules():
        assert f"- Platforms: {platforms_text(rule.id)}\n" in text
