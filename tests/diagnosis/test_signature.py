"""Templates, values of messages, and the table itself."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from clusterwright.diagnosis.signature import details, filled
from clusterwright.diagnosis.signatures import SIGNATURES, candidates
from clusterwright.preflight.registry import rule_files
from tests.diagnosis.made import item


def test_part_in_brackets_is_left_out_without_its_value() -> None:
    assert filled("no capacity[ for {type}] in {zone}", {"zone": "a"}) == "no capacity in a"
    assert filled("in {zone}", {}) is None


def test_values_are_found_in_any_wording() -> None:
    found = details(
        item(
            "log",
            "64 ml.p5.48xlarge in us-east-1a: subnet-0a1b2c3d4e5f60718, sg-0a1b2c3d, L-8762A75F",
        )
    )
    assert found["type"] == "ml.p5.48xlarge"
    assert found["zone"] == "us-east-1a"
    assert found["subnet"] == "subnet-0a1b2c3d4e5f60718"
    assert found["quota_code"] == "L-8762A75F"


def test_ids_are_unique_and_ranks_are_known() -> None:
    assert [i for i, count in Counter(s.id for s in SIGNATURES).items() if count > 1] == []
    assert {s.rank for s in SIGNATURES} <= {0, 1, 2, 3}
    assert all(s.cause or s.is_echo for s in SIGNATURES)


def test_rules_exist() -> None:
    known = {rule.id for rule in rule_files()}
    for signature in SIGNATURES:
        for rule in signature.rules:
            assert any(k.startswith(rule) for k in known), (signature.id, rule)


@pytest.mark.parametrize("signature", SIGNATURES, ids=lambda s: s.id)
def test_commands_are_of_known_programs(signature: object) -> None:
    for command in signature.next:  # type: ignore[attr-defined]
        assert re.match(
            r"(?:aws|cdk|clusterwright|kubectl|pcluster|sacctmgr|scancel|scontrol) ", command
        )


def test_candidates_contain_every_signature_that_matches() -> None:
    from clusterwright.diagnosis.signatures import compiled

    for text in ("Munge decode failed: Expired credential", "[ERROR] No space left on device"):
        line = item("log", text)
        all_matching = [c for c in compiled() if c.values(line) is not None]
        assert [c for c in candidates(text) if c.values(line) is not None] == all_matching
        assert all_matching


def test_no_pattern_of_the_table_matches_an_empty_text() -> None:
    matching = [s.id for s in SIGNATURES for p in s.patterns if re.search(p, "")]
    assert matching == []
