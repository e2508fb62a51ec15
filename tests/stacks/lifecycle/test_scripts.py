"""The scripts that are uploaded, and their digest."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from clusterwright.files import FileTooLargeError
from stacks.lifecycle import scripts


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    copy = tmp_path / "scripts"
    shutil.copytree(scripts.FOLDER, copy, ignore=shutil.ignore_patterns("__pycache__", ".*"))
    return copy


def test_changed_script_changes_the_digest(folder: Path) -> None:
    before = scripts.scripts_digest({}, folder)
    files = [path for path in folder.rglob("*") if path.is_file()]
    assert len(files) > 10
    for path in files:
        original = path.read_bytes()
        path.write_bytes(original + b"\n")
        assert scripts.scripts_digest({}, folder) != before, path
        path.write_bytes(original)
    assert scripts.scripts_digest({}, folder) == before


def test_file_names_are_part_of_the_digest(folder: Path) -> None:
    before = scripts.scripts_digest({}, folder)
    (folder / "on_create.sh").rename(folder / "on_creation.sh")
    assert scripts.scripts_digest({}, folder) != before


def test_python_caches_are_excluded_from_the_digest(folder: Path) -> None:
    before = scripts.scripts_digest({}, folder)
    (folder / "__pycache__").mkdir(exist_ok=True)
    (folder / "__pycache__" / "x.cpython-311.pyc").write_bytes(b"x")
    (folder / "y.pyc").write_bytes(b"y")
    (folder / ".DS_Store").write_bytes(b"z")
    assert scripts.scripts_digest({}, folder) == before


def test_digest_depends_on_contents_and_not_on_order_or_time(folder: Path) -> None:
    before = scripts.scripts_digest({"a": {"x": 1, "y": 2}}, folder)
    (folder / "on_create.sh").touch()
    assert scripts.scripts_digest({"a": {"y": 2, "x": 1}}, folder) == before
    assert scripts.scripts_digest({"a": {"x": 2, "y": 2}}, folder) != before


def test_changed_table_of_failures_changes_digest_and_manifest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def seen() -> tuple[str, str]:
        texts = scripts.diagnosis_files()
        return scripts.scripts_digest({}, texts=texts), scripts.manifest(texts)

    before = seen()
    copy = tmp_path / "clusterwright" / "diagnosis"
    shutil.copytree(scripts.DIAGNOSIS, copy, ignore=shutil.ignore_patterns("__pycache__"))
    (copy.parent / "__init__.py").write_text("__version__ = 'another'")
    monkeypatch.setattr(scripts, "DIAGNOSIS", copy)
    assert seen() == before
    (copy / "engine.py").write_text("# another\n")
    assert not set(seen()) & set(before)


def test_files_that_could_not_be_uploaded_are_refused_by_name(
    folder: Path, tmp_path: Path
) -> None:
    with (folder / "image.sqsh").open("wb") as file:
        file.truncate(10**12)  # sparse: it takes no room on the disk
    for act in (
        lambda: scripts.scripts_digest({}, folder),
        lambda: scripts.manifest({}, folder),
        lambda: scripts.copy_to(tmp_path / "copy", {}, folder),
    ):
        with pytest.raises(FileTooLargeError, match=r"more than 268,435,456 bytes.*image.sqsh"):
            act()
