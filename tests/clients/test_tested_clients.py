"""The run reports the tested clients, and their page agrees with the tests."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.clients import terraform, tested_clients
from tests.clients.terraform import Absent, Terraform


def _mirror(folder: Path, version: str) -> Path:
    provider = folder / "registry.terraform.io" / "hashicorp" / "aws" / version
    (provider / terraform._target()).mkdir(parents=True)
    return folder


@pytest.fixture
def program(tmp_path: Path) -> Path:
    found = tmp_path / "bin" / "terraform"
    found.parent.mkdir()
    found.write_text("#!/bin/sh\n")
    found.chmod(0o755)
    return found


def test_page_is_current() -> None:
    """`python -m tests.clients.tested_clients` updates it."""
    assert tested_clients.main(["--check"]) == 0


def test_missing_terraform_is_reported(tmp_path: Path) -> None:
    found = terraform.find({"PATH": str(tmp_path)}, tmp_path)
    assert found == Absent("no `terraform` on PATH")
    lines = tested_clients.summary(found)
    assert lines[-1] == "Terraform: not tested, no `terraform` on PATH"
    assert len(lines) == len(tested_clients.clients())


def test_missing_provider_is_reported(tmp_path: Path, program: Path) -> None:
    found = terraform.find({"PATH": str(program.parent), "HOME": str(tmp_path)}, tmp_path)
    assert isinstance(found, Absent)
    assert "no provider registry.terraform.io/hashicorp/aws" in found.reason


@pytest.mark.parametrize(
    ("folder", "variable"),
    [
        ("named", "TF_PLUGIN_MIRROR"),
        ("home/.terraform.d/plugins", ""),
        ("home/.local/share/terraform/plugins", ""),
        ("data/terraform/plugins", ""),
        ("opt/any", ""),
    ],
)
def test_newest_mirrored_provider_is_used(
    tmp_path: Path, program: Path, folder: str, variable: str
) -> None:
    _mirror(tmp_path / folder, "5.99.0")
    mirror = _mirror(tmp_path / folder, "5.100.0")
    environment = {
        "PATH": str(program.parent),
        "HOME": str(tmp_path / "home"),
        "XDG_DATA_DIRS": str(tmp_path / "data"),
    }
    if variable:
        environment[variable] = str(mirror)
    found = terraform.find(environment, tmp_path / "opt")
    assert found == Terraform(program, mirror, "5.100.0")


def test_terraform_version_is_recorded() -> None:
    found = Terraform(Path("terraform"), Path("mirror"), "5.100.0")
    assert tested_clients.summary(found)[-1] == "Terraform with provider hashicorp/aws 5.100.0"
