"""Tests of the scripts folder."""

from __future__ import annotations

from clusterwright.preflight.rules.lifecycle import scripts_folder
from stacks.lifecycle import scripts


def test_entries_match_the_stacks() -> None:
    assert scripts_folder.ENTRY == scripts.ENTRY
