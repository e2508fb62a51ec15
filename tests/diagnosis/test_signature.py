"""Templates, values of messages, and the table itself."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from clusterwright.diagnosis.signature import Compiled, Signature, details, filled
from clusterwright.diagnosis.signatures import SIGNATURES, candidates
from clusterwright.preflight.registry import rule_files
from tests.diagnosis.made import item

_PROGRAMS = frozenset(
    [
        "aws",
        "cdk",
        "clusterwright",
        "coredumpctl",
        "fuser",
        "id",
        "kubectl",
        "lfs",
        "ls",
        "lscpu",
        "namei",
        "pcluster",
        "quota",
        "sacct",
        "sacctmgr",
        "sbatch",
        "scancel",
        "scontrol",
        "srun",
        "ss",
        "ssh-keygen",
    ]
)


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
        assert command.split()[0] in _PROGRAMS, command


def test_causes_have_commands() -> None:
    assert [s.id for s in SIGNATURES if not s.is_echo and not s.next] == []


@pytest.mark.parametrize(
    "text",
    [
        "Munge decode failed: Expired credential",
        "[ERROR] No space left on device",
        "loss scale 0.5, grad norm is nan, mount: /fsx: No space left on device, CUDA error: 77",
    ],
)
def test_candidates_match_as_whole_patterns_do(text: str) -> None:
    """Patterns are tried by their alternatives, and only by those whose words a text has."""
    line = item("log", text)
    whole = {}
    for signature in SIGNATURES:
        if "log" not in (signature.kinds or ("log",)) or signature.failed_only or signature.needs:
            continue
        tried = (re.search(p, text, re.IGNORECASE) for p in signature.patterns)
        found = next((each for each in tried if each is not None), None)
        if found is not None:
            values = {k: v.strip() for k, v in found.groupdict().items() if v}
            whole[signature.id] = {**details(line), **values}
    assert whole
    found_by_id = {c.signature.id: c.values(line) for c in candidates(text)}
    assert {k: v for k, v in found_by_id.items() if v is not None} == whole


def test_of_alternatives_the_match_that_begins_first_counts() -> None:
    signature = Signature("x", "{a}{b}", (r"late (?P<a>\w+)|(?P<b>ear\w*)|early (?P<c>late)",))
    assert Compiled(signature).values(item("log", "early late one")) == {"b": "early"}


def test_no_pattern_of_the_table_matches_an_empty_text() -> None:
    matching = [s.id for s in SIGNATURES for p in s.patterns if re.search(p, "")]
    assert matching == []
