"""Rules for all files of the repository."""

from __future__ import annotations

import os
import re
import subprocess
import tomllib

import pytest

from tools.lint.files import ROOT, repository_files, shell_files

# Assembled from parts, so that this file does not contain what it searches for.
_REGISTRY_HOSTS = (
    "pypi" + ".org",
    "python" + "hosted.org",
    "registry" + ".npmjs",
    "npmjs" + ".org",
    "deb" + ".debian.org",
)
_MACHINE_PATHS = ("/wo" + "rk/", "/tmp/bash" + "_jobs", "/root/.py" + "env", "/ho" + "me/runner")

# Larger files that are allowed, each with its reason.
_LARGE_FILES: dict[str, str] = {}
_LARGEST_BYTES = 1_000_000


def _texts() -> list[tuple[str, str]]:
    texts = []
    for path in repository_files():
        data = path.read_bytes()
        if b"\0" not in data:
            texts.append((os.fspath(path.relative_to(ROOT)), data.decode()))
    return texts


@pytest.mark.parametrize("needle", [*_REGISTRY_HOSTS, *_MACHINE_PATHS])
def test_no_file_contains_a_registry_host_or_a_local_path(needle: str) -> None:
    found = [name for name, text in _texts() if needle in text]
    assert not found, f"{needle!r} is in {found}"


def test_no_file_reads_a_folder_beside_the_checkout() -> None:
    outside = re.compile(r"\.\./" + "shared|/" + r"shared/(facts|reference|design)")
    found = [name for name, text in _texts() if outside.search(text)]
    assert not found, f"a folder beside the checkout is named in {found}"


def test_files_have_unix_line_endings_and_a_final_newline() -> None:
    for name, text in _texts():
        assert "\r" not in text, f"{name} contains a carriage return"
        assert not text or text.endswith("\n"), f"{name} does not end in a newline"


def test_large_files_have_a_reason() -> None:
    large = {
        os.fspath(path.relative_to(ROOT))
        for path in repository_files()
        if path.stat().st_size > _LARGEST_BYTES
    }
    assert large == _LARGE_FILES.keys()


def test_shell_scripts_use_strict_mode_with_long_options() -> None:
    for path in shell_files():
        text = path.read_text()
        name = path.relative_to(ROOT)
        if not text.startswith("#!"):
            assert "# shellcheck shell=" in text, f"{name}: neither a shebang nor a dialect"
            continue
        assert "\nset -o errexit\n" in text, f"{name} does not stop at an error"
        assert "\nset -o nounset\n" in text, f"{name} does not stop at an unset variable"
        if "bash" in text.splitlines()[0]:
            assert "\nset -o pipefail\n" in text, f"{name} does not stop at an error in a pipe"


def test_scripts_with_a_shebang_are_executable() -> None:
    for path in shell_files():
        if path.read_text().startswith("#!"):
            assert os.access(path, os.X_OK), f"{path.relative_to(ROOT)} is not executable"


def test_licence_matches_the_declaration_of_the_package() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    text = (ROOT / "LICENSE").read_text()
    assert project["license"] == "Apache-2.0"
    assert "Apache License" in text
    assert "Version 2.0, January 2004" in text
    assert "END OF TERMS AND CONDITIONS" in text


def test_changelog_has_the_version_of_the_package() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert f"## [{project['version']}]" in (ROOT / "CHANGELOG.md").read_text()


def test_make_help_lists_every_target() -> None:
    text = (ROOT / "Makefile").read_text()
    targets = set(re.findall(r"^([a-z]+):", text, re.MULTILINE))
    phony = re.search(r"^\.PHONY: ([a-z ]+)$", text, re.MULTILINE)
    printed = subprocess.run(
        ["make", "help"], cwd=ROOT, capture_output=True, check=True, text=True
    ).stdout
    listed = set(re.findall(r"^  make ([a-z]+) +\S", printed, re.MULTILINE))
    assert {"setup", "demo", "test", "lint", "bench", "docs", "clean"} <= listed
    assert listed == targets
    assert phony is not None
    assert set(phony.group(1).split()) == targets


def test_continuous_integration_runs_make_test_and_nothing_after_it() -> None:
    lines = [
        line
        for line in (ROOT / ".ci" / "run").read_text().splitlines()
        if line and not line.startswith("#")
    ]
    assert lines[-1] == "exec make test </dev/null"
