"""The drawing of packages, from the table of imports."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest

from tools.docs.architecture_drawing import arrows, drawing, import_table, levels

TABLE = {
    "spec": frozenset[str](),
    "cost": frozenset({"spec"}),
    "review": frozenset({"spec", "cost"}),
}


def test_a_package_is_above_all_that_it_imports() -> None:
    assert levels(TABLE) == {"spec": 0, "cost": 1, "review": 2}


def test_arrows_that_follow_from_others_are_left_out() -> None:
    assert arrows(TABLE) == [("cost", "spec"), ("review", "cost")]


def test_the_drawing_names_every_package() -> None:
    root = ElementTree.fromstring(drawing(TABLE))
    texts = ["".join(element.itertext()) for element in root.iter() if element.tag[-4:] == "text"]
    assert set(texts) >= set(TABLE)


def test_the_table_of_the_project_can_be_drawn() -> None:
    table = import_table()
    assert "cluster_spec" in table
    assert set(levels(table)) == set(table)


def test_a_file_without_the_table_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "pyproject.toml"
    path.write_text("[tool.importlinter]\n")
    with pytest.raises(KeyError):
        import_table(path)
