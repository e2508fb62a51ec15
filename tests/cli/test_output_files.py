"""Files that commands write: completely or not at all, without replacing other files."""

from __future__ import annotations

from pathlib import Path

import pytest

from clusterwright.cli.errors import UserError
from clusterwright.cli.output_files import check_writable, schema_path_from, write_atomically


def test_concurrently_created_file_is_kept(tmp_path: Path) -> None:
    """The path is checked before the work, and created by another process during it."""
    path = tmp_path / "x.yaml"
    check_writable([path], force=False)
    path.write_text("another user's\n")
    with pytest.raises(UserError, match="exists and is not overwritten"):
        write_atomically(path, "mine\n", force=False)
    assert path.read_text() == "another user's\n"
    assert list(tmp_path.iterdir()) == [path]
    write_atomically(path, "mine\n", force=True)
    assert path.read_text() == "mine\n"


def test_new_file_has_default_permissions(tmp_path: Path) -> None:
    usual = tmp_path / "usual"
    usual.write_text("")
    write_atomically(tmp_path / "mine", "text\n", force=False)
    assert (tmp_path / "mine").stat().st_mode == usual.stat().st_mode


@pytest.mark.parametrize(
    ("path", "says"), [(".", "is a directory"), ("no/x.yaml", "does not exist")]
)
def test_unwritable_path_is_refused_at_start(tmp_path: Path, path: str, says: str) -> None:
    with pytest.raises(UserError, match=says):
        check_writable([tmp_path / path], force=True)


def test_schema_path_is_that_of_the_checkout(tmp_path: Path) -> None:
    (tmp_path / "schema").mkdir()
    (tmp_path / "schema" / "cluster.schema.json").write_text("{}")
    (tmp_path / "configs" / "team").mkdir(parents=True)
    assert schema_path_from(tmp_path / "configs") == "../schema/cluster.schema.json"
    assert schema_path_from(tmp_path / "configs" / "team") == "../../schema/cluster.schema.json"
    assert schema_path_from(tmp_path) is None
