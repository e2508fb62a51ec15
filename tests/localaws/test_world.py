from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from pydantic import ValidationError

from clusterwright.localaws.world import DEFAULT_ACCOUNT, World, moment_of
from clusterwright.localaws.world_file import (
    WorldError,
    built_in_worlds,
    load_world,
    parse_world,
)
from clusterwright.localaws.world_schema import world_schema


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
            "`training_plans[0].instance_type`: EC2's name is meant, without `ml.`: p5.48xlarge",
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
    assert World().with_changes({"region": "us-west-2"}).region == "us-west-2"
    with pytest.raises(ValidationError):
        World().with_changes({"regoin": "us-west-2"})


def test_the_committed_schema_is_current() -> None:
    committed = Path(__file__).parents[2] / "schema" / "world.schema.json"
    assert json.loads(committed.read_text()) == world_schema()


def test_the_schema_takes_the_built_in_worlds() -> None:
    import jsonschema
    from ruamel.yaml import YAML

    folder = Path(__file__).parents[2] / "clusterwright" / "localaws" / "worlds"
    for path in folder.glob("*.yaml"):
        jsonschema.validate(YAML(typ="safe").load(path.read_text()), world_schema())
