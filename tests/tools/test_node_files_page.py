"""The tables of the node files are those of the contract."""

from __future__ import annotations

from tools.node_files_page import PAGE, main, page


def test_the_page_is_current() -> None:
    assert main(["--check"]) == 0, "run `python -m tools.node_files_page`"


def test_every_key_has_a_meaning() -> None:
    text = page(PAGE.read_text(encoding="utf-8"))
    assert "| `slurm.restrict_ssh_to_jobs` | boolean, default `false` | users without" in text
    assert "|  |" not in text
