"""`app.py`: selection of the spec, and output for invalid specs."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import stacks
from clusterwright.files import FileTooLargeError
from stacks.entry import (
    REPORTS,
    UnnamedSpec,
    command_line_context,
    environment_name,
    read_spec,
    spec_path,
    write,
)
from tests.support.rich_specs import MINIMAL, changed
from tests.support.synthesis import ROOT


def run_app(
    tmp_path: Path, *, cwd: Path = ROOT, **environment: str
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, os.fspath(ROOT / "app.py")],
        cwd=cwd,
        env=os.environ
        | {"CDK_VALIDATION": "false", "CDK_OUTDIR": os.fspath(tmp_path / "out")}
        | environment,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize(
    ("context", "environment", "expected"),
    [
        ({"env": "dev"}, {}, "configs/dev.yaml"),
        ({"config": "a/b.yaml"}, {}, "a/b.yaml"),
        ({}, {"CLUSTERWRIGHT_ENV": "dev"}, "configs/dev.yaml"),
        ({}, {"CLUSTERWRIGHT_CONFIG": "a/b.yaml"}, "a/b.yaml"),
        # The command line takes precedence over the environment.
        ({"env": "dev"}, {"CLUSTERWRIGHT_CONFIG": "a/b.yaml"}, "configs/dev.yaml"),
    ],
)
def test_context_keys_select_the_spec(
    context: dict[str, Any],
    environment: dict[str, str],
    expected: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(ROOT)
    assert spec_path(context, environment) == Path(expected)


def test_configs_are_found_from_another_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert spec_path({"env": "dev"}, {}) == ROOT / "configs" / "dev.yaml"


@pytest.mark.parametrize(
    ("context", "environment", "hint"),
    [
        ({}, {}, "cdk synth -c env=dev"),
        ({"env": "dev", "config": "x.yaml"}, {}, "-c env=NAME or -c config=PATH"),
        (
            {},
            {"CLUSTERWRIGHT_ENV": "dev", "CLUSTERWRIGHT_CONFIG": "x.yaml"},
            "CLUSTERWRIGHT_ENV=NAME or CLUSTERWRIGHT_CONFIG=PATH",
        ),
        ({"env": "../secrets"}, {}, "-c config=PATH"),
        ({"env": "a/b"}, {}, "-c config=PATH"),
    ],
)
def test_ambiguous_selection_is_refused_with_a_hint(
    context: dict[str, Any], environment: dict[str, str], hint: str
) -> None:
    with pytest.raises(UnnamedSpec) as raised:
        spec_path(context, environment)
    assert hint in str(raised.value)


def test_long_context_is_read_from_its_file(
    tmp_path: Path,
) -> None:
    overflow = tmp_path / "context.json"
    overflow.write_text('{"env": "dev"}', encoding="utf-8")
    found = command_line_context(
        {"CDK_CONTEXT_JSON": '{"a": 1}', "CONTEXT_OVERFLOW_LOCATION_ENV": os.fspath(overflow)}
    )
    assert found == {"a": 1, "env": "dev"}


def test_invalid_spec_prints_every_problem_and_writes_nothing(
    tmp_path: Path,
) -> None:
    spec = changed(MINIMAL, region="us-east-9", compute__1__instance_type="p5.48large", nodes=3)
    path = tmp_path / "wrong.yaml"
    path.write_text(json.dumps(spec, indent=2), encoding="utf-8")
    done = run_app(tmp_path, CLUSTERWRIGHT_CONFIG=os.fspath(path))
    assert done.returncode == 3
    assert done.stdout == ""
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "out").exists()
    errors = [line for line in done.stderr.splitlines() if line.startswith("error: ")]
    assert len(errors) >= 2
    assert all(line.startswith(f"error: {path}:") for line in errors)
    assert "nodes" in done.stderr


def test_file_that_cannot_be_uploaded_is_refused_by_name(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def refuse(*_: Any) -> None:
        raise FileTooLargeError(Path("lifecycle_scripts/image.sqsh"), 1000, together=True)

    monkeypatch.setattr("stacks.cluster_app.build", refuse)
    with pytest.raises(SystemExit) as stopped:
        stacks.build(object(), object())  # type: ignore[arg-type]
    assert stopped.value.code == 3
    assert capsys.readouterr().err == (
        "error: lifecycle_scripts/image.sqsh: with it the folder has more than 1,000 bytes\n"
    )


def test_nodes_that_do_not_fit_fail_in_the_same_way(tmp_path: Path) -> None:
    path = tmp_path / "large.yaml"
    spec = changed(MINIMAL, network__cidr="10.0.0.0/24", compute__1__count=64)
    path.write_text(json.dumps(spec, indent=2), encoding="utf-8")
    done = run_app(tmp_path, CLUSTERWRIGHT_CONFIG=os.fspath(path))
    assert done.returncode == 3
    assert f"{path}:" in done.stderr
    assert "hint: cidr: 10.0.0.0/" in done.stderr
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (
            {"compute__1__capacity": {"kind": "reservation", "id": "cr-0123456789abcdef0"}},
            "does not support reservation",
        ),
        (
            {"compute__1__capacity": {"kind": "capacity-block", "id": "cr-0123456789abcdef0"}},
            "does not support capacity-block",
        ),
        ({"compute__1__placement_group": True}, "no field for a placement group"),
        (
            {
                "compute__1__instance_type": "p6e-gb200.36xlarge",
                "slurm": {"configuration": "scripted"},
            },
            "the number of cores",
        ),
    ],
)
def test_inexpressible_values_are_refused(
    change: dict[str, Any], said: str, tmp_path: Path
) -> None:
    from clusterwright.cluster_spec import SpecErrors
    from clusterwright.platforms.loading import load_cluster, validate_for_synthesis

    path = tmp_path / "spec.yaml"
    path.write_text(json.dumps(changed(MINIMAL, **change), indent=2), encoding="utf-8")
    with pytest.raises(SpecErrors, match=said) as raised:
        validate_for_synthesis(load_cluster(path))
    assert raised.value.problems[0].position is not None


@pytest.mark.parametrize(
    "environment",
    [{}, {"CLUSTERWRIGHT_CONFIG": "does-not-exist.yaml"}, {"CLUSTERWRIGHT_CONFIG": "configs"}],
)
def test_missing_specs_and_directories_are_refused(
    environment: dict[str, str], tmp_path: Path
) -> None:
    done = run_app(tmp_path, **environment)
    assert done.returncode == 3
    assert done.stderr.startswith("error: ")
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "out").exists()


def test_former_report_is_deleted(tmp_path: Path) -> None:
    for name in REPORTS:
        (tmp_path / name).write_text('{"stale": true}', encoding="utf-8")
    app = stacks.open_app(tmp_path, builtin_cloud_formation_validation=False)
    write(app)
    for name in REPORTS:
        assert not (tmp_path / name).exists()


def test_entry_contains_no_logic() -> None:
    import ast

    tree = ast.parse((ROOT / "app.py").read_text(encoding="utf-8"))
    imported = {
        alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.Import)
        for alias in node.names
    } | {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert imported <= {
        "__future__",
        "clusterwright.preflight",
        "clusterwright.preflight.cdk_plugin",
        "clusterwright.cluster_spec",
        "stacks",
    }
    branches = (ast.If, ast.For, ast.While, ast.Try, ast.FunctionDef, ast.ClassDef)
    assert not [node for node in ast.walk(tree) if isinstance(node, branches)]


def test_bundled_node_runs_the_cdk_by_default(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from stacks import jsii_runtime

    monkeypatch.delenv("JSII_NODE", raising=False)
    jsii_runtime.choose()
    assert Path(os.environ["JSII_NODE"]).name == "node"
    monkeypatch.setenv("JSII_NODE", "/usr/bin/node")
    jsii_runtime.choose()
    assert os.environ["JSII_NODE"] == "/usr/bin/node"


ESCAPES = '"dev\\e[2J\\e]0;owned\\a"'
"""YAML of a text that would clear a terminal and set its title."""


def test_control_characters_of_a_spec_do_not_reach_the_terminal(tmp_path: Path) -> None:
    path = tmp_path / "spec.yaml"
    path.write_text(f"environment: {ESCAPES}\nregion: {ESCAPES}\n{ESCAPES}: 1\n", encoding="utf-8")
    done = run_app(tmp_path, CLUSTERWRIGHT_CONFIG=os.fspath(path))
    assert done.returncode == 3
    assert not set(done.stderr) & {"\x1b", "\x07"}
    assert "\N{REPLACEMENT CHARACTER}[2J" in done.stderr


@pytest.mark.parametrize(
    ("context", "environment", "name"),
    [
        ({"env": "dev"}, {"CLUSTERWRIGHT_CONFIG": "x.yaml"}, "dev"),
        ({"config": "configs/dev.yaml"}, {"CLUSTERWRIGHT_ENV": "prod"}, None),
        ({}, {"CLUSTERWRIGHT_ENV": "prod"}, "prod"),
        ({}, {"CLUSTERWRIGHT_CONFIG": "x.yaml"}, None),
    ],
)
def test_only_a_name_is_compared_with_the_environment(
    context: dict[str, Any], environment: dict[str, str], name: str | None
) -> None:
    assert environment_name(context, environment) == name


def test_a_file_of_another_environment_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """`cdk deploy -c env=dev` must not change the stacks of prod."""
    (tmp_path / "configs").mkdir()
    path = tmp_path / "configs" / "dev.yaml"
    path.write_text(json.dumps(changed(MINIMAL, environment="prod")), encoding="utf-8")
    monkeypatch.setattr("stacks.entry.ROOT", tmp_path)
    monkeypatch.setenv("CLUSTERWRIGHT_ENV", "dev")
    monkeypatch.delenv("CDK_CONTEXT_JSON", raising=False)
    with pytest.raises(SystemExit) as raised:
        read_spec()
    assert raised.value.code == 3
    said = capsys.readouterr().err
    assert "env=dev selects the stacks of `prod`" in said
    assert "hint: rename the file to prod.yaml, or `environment: dev`" in said
    path.write_text(json.dumps(changed(MINIMAL, environment="dev")), encoding="utf-8")
    assert read_spec().cluster.environment == "dev"
