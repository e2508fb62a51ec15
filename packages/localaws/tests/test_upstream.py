"""Patches of moto that are ready to be sent: each applies, and its tests fail without it."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

import moto
import pytest

from clusterwright_localaws.moto_fixes_page import MotoFix, upstream_fixes
from tools.lint.files import ROOT, repository_files

UPSTREAM = ROOT / "packages" / "localaws" / "upstream"
MOTO = Path(moto.__file__).parent
FIXES = tuple(upstream_fixes())
# botocore's models are read once for each client; most of the time of these tests would be that.
PLUGIN = """\
import functools

from botocore.loaders import JSONFileLoader

read = functools.cache(JSONFileLoader().load_file)
JSONFileLoader.load_file = lambda self, path: read(path)
"""
PATCHED_FILE = re.compile(r"^\+\+\+ b/(moto/\S+)$", re.MULTILINE)


def _patch(fix: MotoFix) -> Path:
    return UPSTREAM / fix.folder / "fix.patch"


def _test(fix: MotoFix) -> Path:
    return UPSTREAM / fix.folder / f"test_{fix.name}.py"


def test_each_fix_has_its_folder_and_no_folder_is_stale() -> None:
    expected = {path for fix in FIXES for path in (_patch(fix), _test(fix))}
    settings = {UPSTREAM / "ruff.toml"}
    files = {path for path in repository_files() if path.is_relative_to(UPSTREAM)}
    assert files - settings == expected


@pytest.mark.parametrize("fix", FIXES, ids=lambda fix: fix.folder)
def test_patch_applies_to_the_installed_moto(fix: MotoFix, tmp_path: Path) -> None:
    files = PATCHED_FILE.findall(_patch(fix).read_text(encoding="utf-8"))
    assert files
    for name in files:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(MOTO.parent / name, tmp_path / name)
    _apply(fix, tmp_path)


@pytest.mark.slow
def test_tests_of_all_patches_pass_with_them(tmp_path: Path) -> None:
    copy = tmp_path / "patched"
    _links(MOTO, copy / "moto")
    for fix in FIXES:
        _apply(fix, copy)
    outcomes = dict(_outcomes(tmp_path, copy))
    assert {name for name, passed in outcomes.items() if not passed} == set()
    assert {name.partition("/")[0] for name in outcomes} == {fix.folder for fix in FIXES}


@pytest.mark.slow
def test_tests_of_all_patches_fail_without_them(tmp_path: Path) -> None:
    outcomes = dict(_outcomes(tmp_path, MOTO.parent))
    assert {name for name, passed in outcomes.items() if passed} == set()
    assert {name.partition("/")[0] for name in outcomes} == {fix.folder for fix in FIXES}


def _links(source: Path, folder: Path) -> None:
    """Make a folder whose files and folders are links to those of another."""
    folder.mkdir(parents=True)
    for path in source.iterdir():
        (folder / path.name).symlink_to(path)


def _apply(fix: MotoFix, folder: Path) -> None:
    text = _patch(fix).read_text(encoding="utf-8")
    for name in PATCHED_FILE.findall(text):
        # git refuses to patch what lies behind a link.
        for parent in reversed((folder / name).relative_to(folder).parents):
            if (folder / parent).is_symlink():
                (folder / parent).unlink()
                _links(MOTO.parent / parent, folder / parent)
        if (folder / name).is_symlink():
            (folder / name).unlink()
            shutil.copy(MOTO.parent / name, folder / name)
    subprocess.run(["git", "apply", "-p1"], cwd=folder, input=text, text=True, check=True)


def _outcomes(folder: Path, packages: Path) -> Iterator[tuple[str, bool]]:
    """Run the tests of all patches with the moto in `packages`; yield whether each passed."""
    report = folder / "report.xml"
    options = ["--noconftest", "--import-mode=importlib", "--tb=short", "-p", "no:cacheprovider"]
    (folder / "models_read_once.py").write_text(PLUGIN)
    settings = [
        "-p",
        "models_read_once",
        "-c",
        os.devnull,
        "-o",
        "junit_family=xunit1",
        f"--rootdir={UPSTREAM}",
    ]
    subprocess.run(
        [sys.executable, "-m", "pytest", *options, *settings, f"--junitxml={report}", UPSTREAM],
        cwd=folder,
        env={
            **os.environ,
            "PYTHONPATH": f"{packages}{os.pathsep}{folder}",
            "PYTHONDONTWRITEBYTECODE": "1",
        },
        check=False,
    )
    for case in ElementTree.parse(report).iter("testcase"):
        yield f"{case.attrib['file']}::{case.attrib['name']}", len(case) == 0
