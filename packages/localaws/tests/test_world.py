from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from clusterwright_localaws.worlds.contradictions import with_changes
from clusterwright_localaws.worlds.json_schema import world_schema
from clusterwright_localaws.worlds.loading import (
    WorldError,
    built_in_worlds,
    load_world,
    parse_world,
)
from clusterwright_localaws.worlds.model import DEFAULT_ACCOUNT, World, moment_of


def problem_of(text: str) -> tuple[str, int | None, int | None]:
    with pytest.raises(WorldError) as caught:
        parse_world(text, "w.yaml")
    first = caught.value.problems[0]
    return first.message, first.line, first.column


def test_the_built_in_worlds_load() -> None:
    assert built_in_worlds() == ("expired-plan", "full-subnets", "generous", "new-account")
    for name in built_in_worlds():
        assert load_world(name).description


def test_our_default_account_is_motos() -> None:
    from moto.core import DEFAULT_ACCOUNT_ID

    assert DEFAULT_ACCOUNT == DEFAULT_ACCOUNT_ID


def test_a_file_extends_a_world_and_merges_quotas() -> None:
    world = parse_world(
        "extends: new-account\nquotas: {sagemaker/L-8762A75F: 8}\naccount: '111122223333'\n"
    )
    assert world.quota_policy == "documented"
    assert world.quotas == {"sagemaker/L-8762A75F": 8}
    assert world.account == "111122223333"


def test_without_extends_a_file_is_the_whole_world() -> None:
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
def test_an_error_has_its_place(text: str, message: str, line: int, column: int) -> None:
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
def test_nonsense_is_a_world_error(text: str) -> None:
    with pytest.raises(WorldError):
        parse_world(text)


def test_files_that_cannot_be_worlds(tmp_path: Path) -> None:
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


def test_moments_are_times_or_offsets() -> None:
    now = datetime(2026, 11, 20, 12, tzinfo=UTC)
    assert moment_of("-1d", now) == now - timedelta(days=1)
    assert moment_of("+90m", now) == now + timedelta(minutes=90)
    assert moment_of("2026-11-20T11:30:00Z", now) == datetime(2026, 11, 20, 11, 30, tzinfo=UTC)
    assert moment_of("2026-11-20", now).tzinfo is UTC
    with pytest.raises(ValueError, match="neither a time"):
        moment_of("tomorrow", now)


def test_changes_are_checked() -> None:
    assert with_changes(World(), {"region": "us-west-2"}).region == "us-west-2"
    with pytest.raises(ValidationError):
        with_changes(World(), {"regoin": "us-west-2"})


def test_the_schema_takes_the_built_in_worlds() -> None:
    import jsonschema
    from ruamel.yaml import YAML

    folder = (
        Path(__file__).parents[3] / "packages" / "localaws" / "clusterwright_localaws" / "worlds"
    )
    for path in folder.glob("*.yaml"):
        jsonschema.validate(YAML(typ="safe").load(path.read_text()), world_schema())


SUBNET = "{id: subnet-%08x, vpc_id: vpc-0a0a0a0a, zone_id: use1-az6, cidr: %s}"


@pytest.mark.parametrize(
    ("text", "message", "line", "column"),
    [
        (
            "faults:\n  - {service: sagemaker, operation: CreateClsuter, error: X}\n",
            "`faults[0].operation`: boto3 has no operation of sagemaker named 'CreateClsuter'; "
            "did you mean `CreateCluster`?",
            2,
            37,
        ),
        (
            "faults:\n  - {service: SageMaker, operation: '*', error: X}\n",
            "`faults[0].service`: boto3 has no service named 'SageMaker'; "
            "did you mean `sagemaker`?",
            2,
            15,
        ),
        (
            "quotas:\n  sagemaker/L-8762A75E: 8\n",
            "`quotas`: there is no quota sagemaker/L-8762A75E; did you mean "
            "`sagemaker/L-8762A75F`?",
            2,
            25,
        ),
        (
            "usage: {sagemakr/L-8762A75F: 8}\n",
            "`usage`: boto3 has no service named 'sagemakr'; did you mean `sagemaker`?",
            1,
            30,
        ),
        (
            f"subnets:\n  - {SUBNET % (1, '10.0.0.0/20')}\n  - {SUBNET % (2, '10.0.8.0/24')}\n",
            "`subnets[1].cidr`: 10.0.8.0/24 overlaps with 10.0.0.0/20 of subnet-00000001",
            3,
            74,
        ),
        (
            f"subnets:\n  - {SUBNET % (1, '10.0.0.1/20')}\n",
            "`subnets[0].cidr`: '10.0.0.1/20' is not an IPv4 range",
            2,
            74,
        ),
        (
            f"subnets:\n  - {SUBNET % (1, '10.1.0.0/20')}\n",
            "`subnets[0].cidr`: 10.1.0.0/20 is not within 10.0.0.0/16",
            2,
            74,
        ),
        (
            f"subnets:\n  - {SUBNET % (1, '10.0.0.0/29')}\n",
            "`subnets[0].cidr`: a subnet is a /16 to a /28, not a /29",
            2,
            74,
        ),
        (
            "training_plans:\n  - name: p\n    instance_type: p5.48xlarge\n"
            "    instance_count: 8\n    start: +2d\n    end: +1d\n",
            "`training_plans[0].end`: +1d is not after +2d",
            6,
            10,
        ),
        (
            "buckets:\n  - {name: data}\n  - {name: data}\n",
            "`buckets[1].name`: data is buckets[0] already",
            3,
            12,
        ),
        ("extends: generos\n", "extends: 'generos' is not a built-in world", 1, 10),
        ("", "the file is empty", 1, 1),
        ("region: us-east-1\naccount: \x00\n", "not valid YAML: the character #x0000", 2, 10),
    ],
)
def test_what_cannot_be_has_its_place(text: str, message: str, line: int, column: int) -> None:
    found, at_line, at_column = problem_of(text)
    assert found.startswith(message)
    assert (at_line, at_column) == (line, column)


def test_quotas_of_other_services_may_be_given() -> None:
    world = parse_world("quotas: {lambda/L-B99A9384: 10, ec2/L-0263D0A3: 5}\n")
    assert set(world.quotas) == {"lambda/L-B99A9384", "ec2/L-0263D0A3"}


def test_every_problem_is_said_at_once() -> None:
    faults = [f"  - {{service: x{number}, operation: A, error: X}}\n" for number in (1, 2)]
    text = f"faults:\n{''.join(faults)}"
    with pytest.raises(WorldError) as caught:
        parse_world(text, "w.yaml")
    assert [problem.line for problem in caught.value.problems] == [2, 3]


def test_changes_that_contradict_are_refused_too() -> None:
    with pytest.raises(ValueError, match="boto3 has no service named 'sagemakr'"):
        with_changes(
            World(), {"faults": [{"service": "sagemakr", "operation": "*", "error": "X"}]}
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


def test_anchors_and_merge_keys_are_yamls() -> None:
    first, second = parse_world(WHOLE).subnets
    assert (first.vpc_id, first.zone_id) == (second.vpc_id, second.zone_id)
    assert (first.cidr, second.cidr) == ("10.0.0.0/20", "10.0.16.0/20")


pieces = st.one_of(
    st.sampled_from(list("\t\n:{}[]-!'\"#\x00\ufeff")),
    st.sampled_from(["&a", "*a", "<<: *first", "null", "-1", "1e400", ".nan", "true", "0x1F"]),
    st.sampled_from(["2026-01-01", "!!binary aGk="]),
)
places = st.integers(0, len(WHOLE))


@given(st.lists(st.tuples(places, st.integers(0, 12), pieces), min_size=1, max_size=4))
def test_a_damaged_world_loads_or_says_where(damage: list[tuple[int, int, str]]) -> None:
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
