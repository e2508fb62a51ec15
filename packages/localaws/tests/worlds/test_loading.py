"""Tests of worlds.loading."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clusterwright_localaws.worlds.loading import (
    WorldError,
    built_in_worlds,
    load_world,
    parse_world,
)

WHOLE = """\
extends: generous
account: "111122223333"
region: us-east-1
quotas: {sagemaker/L-8762A75F: 8}
subnets:
  - &first
    id: subnet-0123456789abcdef0
    vpc_id: vpc-0123456789abcdef0
    cidr: 10.0.0.0/20
    zone_id: use1-az6
  - <<: *first
    id: subnet-0123456789abcdef1
    cidr: 10.0.16.0/20
training_plans:
  - {name: plan, instance_type: p5.48xlarge, instance_count: 4, start: +1d, end: +30d}
capacity:
  - {instance_type: p5.48xlarge, available: 3}
faults:
  - {service: sagemaker, operation: CreateCluster, error: ThrottlingException, times: 2}
delays: {cluster: 1, node: 2}
"""


pieces = st.one_of(
    st.sampled_from(list("\t\n:{}[]-!'\"#\x00\ufeff")),
    st.sampled_from(["&a", "*a", "<<: *first", "null", "-1", "1e400", ".nan", "true", "0x1F"]),
    st.sampled_from(["2026-01-01", "!!binary aGk="]),
)


places = st.integers(0, len(WHOLE))


def problem_of(text: str) -> tuple[str, int | None, int | None]:
    with pytest.raises(WorldError) as caught:
        parse_world(text, "w.yaml")
    first = caught.value.problems[0]
    return first.message, first.line, first.column


def test_the_built_in_worlds_load() -> None:
    assert built_in_worlds() == ("expired-plan", "full-subnets", "generous", "new-account")
    for name in built_in_worlds():
        assert load_world(name).description


def test_a_file_extends_a_world_and_merges_quotas() -> None:
    world = parse_world(
        "extends: new-account\nquotas: {sagemaker/L-8762A75F: 8}\naccount: '111122223333'\n"
    )
    assert world.quota_policy == "documented"
    assert world.quotas == {"sagemaker/L-8762A75F": 8}
    assert world.account == "111122223333"


def test_file_without_extends_is_a_complete_world() -> None:
    assert parse_world("region: us-east-2\n").unlisted_plans == "none"


@pytest.mark.parametrize(
    ("text", "message", "line", "column"),
    [
        (
            "extends: generous\nquota: {}\n",
            "there is no field `quota`; did you mean `quotas`?",
            2,
            1,
        ),
        (
            "account: 12\n",
            "`account`: input should be a valid string",
            1,
            10,
        ),
        (
            "quotas:\n  sagemaker/p5: 8\n",
            "`quotas`: 'sagemaker/p5' is not SERVICE/L-XXXXXXXX, as in sagemaker/L-8762A75F",
            2,
            3,
        ),
        (
            "faults:\n  - {service: ec2, operation: '*'}\n",
            "`faults[0]`: a fault needs one of error, delay_ms, empty or truncate",
            2,
            5,
        ),
        (
            "faults:\n  - {service: ec2, operation: '*', eror: X}\n",
            "there is no field `faults[0].eror`; did you mean `error`?",
            2,
            36,
        ),
        (
            "training_plans:\n  - {name: p, instance_type: ml.p5.48xlarge, instance_count: 8}\n",
            "`training_plans[0].instance_type`: use EC2's name, without `ml.`: p5.48xlarge",
            2,
            30,
        ),
        (
            "training_plans:\n  - {name: p, instance_type: p5.48xlarge}\n",
            "`training_plans[0].instance_count` is missing",
            2,
            5,
        ),
        ("a: [1\n", "not valid YAML", 1, 1),
        ("a: 1\na: 2\n", "not valid YAML", 2, 1),
        ("- 1\n", "a world is a mapping of fields", 1, 1),
    ],
)
def test_an_error_has_its_position(text: str, message: str, line: int, column: int) -> None:
    found, at_line, at_column = problem_of(text)
    assert found.startswith(message)
    assert (at_line, at_column) == (line, column)


def test_an_error_shows_the_line_with_a_caret() -> None:
    with pytest.raises(WorldError) as caught:
        parse_world("region: us-east-1\nacount: '1'\n", "w.yaml")
    assert str(caught.value).splitlines() == [
        "there is no field `acount`; did you mean `account`?",
        "  w.yaml:2:1",
        "    2 | acount: '1'",
        "      | ^",
    ]


@pytest.mark.parametrize("text", ["", "extends: nothing\n", "extends: [generous]\n", "\t- x: [\n"])
def test_invalid_world_is_an_error(text: str) -> None:
    with pytest.raises(WorldError):
        parse_world(text)


def test_unreadable_world_files_are_errors(tmp_path: Path) -> None:
    (tmp_path / "large.yaml").write_text("#" * 1_000_001)
    (tmp_path / "binary.yaml").write_bytes(b"\xff\xfe\x00")
    for name, message in (
        ("absent.yaml", "no such world or file"),
        (".", "a directory is not a world"),
        ("large.yaml", "the file is larger than 1000000 bytes"),
        ("binary.yaml", "cannot be read"),
    ):
        with pytest.raises(WorldError, match=message):
            load_world(tmp_path / name)


def test_a_misspelt_world_gets_a_hint() -> None:
    with pytest.raises(WorldError) as caught:
        load_world("generos")
    assert caught.value.hint == "did you mean `generous`?"


def test_anchors_and_merge_keys_are_supported() -> None:
    first, second = parse_world(WHOLE).subnets
    assert (first.vpc_id, first.zone_id) == (second.vpc_id, second.zone_id)
    assert (first.cidr, second.cidr) == ("10.0.0.0/20", "10.0.16.0/20")


@given(st.lists(st.tuples(places, st.integers(0, 12), pieces), min_size=1, max_size=4))
def test_damaged_world_loads_or_reports_a_position(damage: list[tuple[int, int, str]]) -> None:
    text = WHOLE
    for place, length, piece in damage:
        text = text[:place] + piece + text[place + length :]
    try:
        parse_world(text, "w.yaml")
    except WorldError as error:
        refused = error
    else:
        return
    assert refused.problems
    assert refused.hint
    for problem in refused.problems:
        assert problem.line is not None
        assert 1 <= problem.line <= max(1, text.count("\n") + 1)
        assert problem.column is not None
        assert str(problem).startswith(problem.message)


def test_device_and_alias_bomb_are_refused_quickly() -> None:
    with pytest.raises(WorldError, match="larger than 1000000 bytes"):
        load_world("/dev/zero")
    bomb = "a0: &a0 [x, x]\n" + "".join(
        f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 30)
    )
    with pytest.raises(WorldError, match="with its aliases the file has more than 500000"):
        parse_world(bomb, "w.yaml")
