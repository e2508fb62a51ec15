"""`clusterwright expand`: the full output and origins; the output is a valid spec."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from tests.support.command_line import clusterwright
from tests.support.rich_specs import BUILT, EXISTING

ROOT = Path(__file__).parents[2]
CONFIGS = [
    path.relative_to(ROOT)
    for path in sorted((ROOT / "configs").rglob("*.yaml"))
    if path.parent.name != "users" and path.name != "base.yaml"
]


@pytest.mark.parametrize("config", [ROOT / "configs/prod.yaml", ROOT / "configs/dev.yaml"])
def test_full_output(config: Path, snapshot: SnapshotAssertion) -> None:
    answer = clusterwright("expand", config.relative_to(ROOT), folder=ROOT)
    assert (answer.exit_code, answer.err) == (0, "")
    assert answer.out == snapshot


def test_full_output_with_origins(snapshot: SnapshotAssertion) -> None:
    answer = clusterwright("expand", "--env", "prod", "--origins", folder=ROOT)
    assert (answer.exit_code, answer.err) == (0, "")
    assert answer.out == snapshot


def test_full_json_with_origins(tmp_path: Path, snapshot: SnapshotAssertion) -> None:
    (tmp_path / "existing.json").write_text(json.dumps(EXISTING, indent=1))
    answer = clusterwright(
        "expand", "existing.json", "--origins", "--format", "json", folder=tmp_path
    )
    assert (answer.exit_code, answer.err) == (0, "")
    assert answer.out == snapshot


@pytest.mark.parametrize("config", CONFIGS, ids=str)
def test_every_config_expands_to_itself(config: Path, tmp_path: Path) -> None:
    first = clusterwright("expand", config, folder=ROOT)
    assert first.exit_code == 0
    (tmp_path / "expanded.yaml").write_text(first.out)
    assert clusterwright("expand", tmp_path / "expanded.yaml") == first
    with_origins = clusterwright("expand", config, "--origins", folder=ROOT)
    (tmp_path / "commented.yaml").write_text(with_origins.out)
    assert clusterwright("expand", tmp_path / "commented.yaml") == first


@pytest.mark.parametrize("origins", [[], ["--origins"]], ids=["plain", "origins"])
def test_json_expands_to_itself(origins: list[str], tmp_path: Path) -> None:
    path = tmp_path / "spec.json"
    path.write_text(json.dumps(BUILT))
    first = clusterwright("expand", path, "--format", "json", *origins)
    (tmp_path / "again.json").write_text(first.out)
    plain = clusterwright("expand", path, "--format", "json")
    assert clusterwright("expand", tmp_path / "again.json", "--format", "json") == plain


def test_json_and_yaml_are_equal(tmp_path: Path) -> None:
    from clusterwright.cluster_spec.document import parse_document

    path = tmp_path / "spec.json"
    path.write_text(json.dumps(BUILT))
    answer = json.loads(clusterwright("expand", path, "--format", "json").out)
    assert (answer.pop("schema_version"), answer.pop("command")) == (1, "expand")
    assert answer.pop("exit_code") == 0
    assert parse_document(clusterwright("expand", path).out, "f").data == answer


def test_keys_are_sorted_and_values_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "spec.json"
    path.write_text(json.dumps(BUILT))
    answer = json.loads(clusterwright("expand", path, "--format", "json").out)
    for key in ("schema_version", "command", "exit_code"):
        del answer[key]
    assert list(answer) == sorted(answer)

    def contains(whole: object, part: object) -> bool:
        if isinstance(part, dict):
            assert isinstance(whole, dict)
            return all(contains(whole[key], value) for key, value in part.items())
        if isinstance(part, list):
            assert isinstance(whole, list)
            return all(contains(a, b) for a, b in zip(whole, part, strict=True))
        return whole == part

    assert contains(answer, BUILT)


def test_help_describes_the_output(snapshot: SnapshotAssertion) -> None:
    answer = clusterwright("expand", "--help")
    assert answer.exit_code == 0
    assert answer.out == snapshot


@pytest.mark.parametrize(
    "arguments", [[], ["a.yaml", "--env", "b"], ["--format", "xml", "a.yaml"], ["a", "b"]], ids=str
)
def test_usage_error_is_refused(arguments: list[str], tmp_path: Path) -> None:
    answer = clusterwright("expand", *arguments, folder=tmp_path)
    assert (answer.exit_code, answer.out) == (3, "")
    assert answer.err.startswith("error: ")
    assert "hint: " in answer.err
