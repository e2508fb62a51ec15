"""The tables of the node files match the contract."""

from __future__ import annotations

from tools.docs.node_files_page import PAGE, page


def test_every_key_has_a_description() -> None:
    text = page(PAGE.read_text(encoding="utf-8"))
    assert "| `slurm.restrict_ssh_to_jobs` | boolean, default `false` | users without" in text
    assert "|  |" not in text
