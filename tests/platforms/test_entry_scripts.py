"""Tests of clusterwright.platforms.entry_scripts."""

from __future__ import annotations

from clusterwright.platforms.entry_scripts import ENTRY
from stacks.lifecycle.node_contract import contract
from stacks.lifecycle.scripts import FOLDER


def test_every_configuration_of_a_node_has_a_script() -> None:
    assert set(ENTRY) == set(contract.CONFIGURATIONS)
    assert all((FOLDER / name).is_file() for name in ENTRY.values())


def test_node_program_names_the_same_scripts() -> None:
    from clusterwright_node.disagreements import ENTRIES

    assert ENTRIES == ENTRY
