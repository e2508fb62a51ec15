"""Tests of the scripts folder."""

from __future__ import annotations

import datetime as dt
import os
from pathlib import Path

import pytest

from clusterwright.catalog import load_catalog
from clusterwright.platforms.loading import load_cluster
from clusterwright.preflight.context import Context
from clusterwright.preflight.rules.lifecycle.scripts_folder import entry, folder_at, folders

CONFIGS = Path(__file__).parents[4] / "configs"


@pytest.mark.parametrize(
    ("config", "script"),
    [
        ("dev", "on_init_complete.sh"),
        ("examples/scripted", "on_create.sh"),
        ("dev-parallelcluster", "on_node_configured.sh"),
        ("dev-pcs", "on_pcs_node.sh"),
    ],
)
def test_platform_starts_a_script_of_the_folder(config: str, script: str) -> None:
    spec = load_cluster(CONFIGS / f"{config}.yaml")
    context = Context(spec, load_catalog(), dt.date(2026, 11, 20))
    assert entry(context) == script
    ((_, folder),) = folders(context)
    assert (folder.root / script).is_file()


def test_files_that_are_uploaded_are_sorted_by_their_paths(tmp_path: Path) -> None:
    for name in ("b/__init__.py", "b/__pycache__/c.pyc", "b.sh", "b/old.pyc", ".git/a", "b/.x"):
        (tmp_path / name).parent.mkdir(exist_ok=True, parents=True)
        (tmp_path / name).write_text(name)
    (tmp_path / "broken").symlink_to("nowhere")
    (tmp_path / "link.sh").symlink_to("b.sh")
    found = folder_at(tmp_path)
    assert found.files == tuple(tmp_path / name for name in ("b/__init__.py", "b.sh", "link.sh"))
    assert [state.size_bytes for state in found.states] == [13, 4, 4]
    assert folder_at(tmp_path / "nowhere").files == ()


def test_folders_are_equal_until_a_file_changes(tmp_path: Path) -> None:
    script = tmp_path / "a.sh"
    script.write_text("one")
    before = folder_at(tmp_path)
    assert folder_at(tmp_path) == before
    times = (script.stat().st_atime_ns, script.stat().st_mtime_ns)
    # The same size and time of the content: a copy with the time of its original.
    other = tmp_path / "other"
    other.write_text("two")
    os.utime(other, ns=times)
    other.replace(script)
    assert folder_at(tmp_path) != before
