"""The readers of profiling counters are stopped for level 4, and started again."""

from __future__ import annotations

import pytest
from clusterwright_acceptance import dcgm_diag, running

from tests.nodes.acceptance.fake_node import Node


@pytest.fixture
def asked(node: Node) -> Node:
    node.command(
        "systemctl",
        f'echo "$@" >> {node.root}/asked\n'
        'case "$*" in "is-active --quiet dcgm-exporter.service") exit 0;;\n'
        "is-active*) exit 3;; esac",
    )
    return node


def changes(node: Node) -> list[str]:
    lines = (node.root / "asked").read_text().splitlines()
    return [line for line in lines if not line.startswith("is-active")]


def test_only_active_readers_are_stopped_and_started(asked: Node) -> None:
    with dcgm_diag.readers_stopped(asked.probe()):
        assert changes(asked) == ["stop dcgm-exporter.service"]
    assert changes(asked)[1:] == ["start dcgm-exporter.service"]


def test_readers_start_after_a_hang(asked: Node) -> None:
    asked.hangs("dcgmi")
    with pytest.raises(running.Hung):
        asked.look("dcgm-extended", seconds=1.0)
    assert changes(asked)[-1] == "start dcgm-exporter.service"


def test_fabric_manager_is_left_alone() -> None:
    assert not any("fabric" in name for name in dcgm_diag.READERS)
