"""Locked memory."""

from __future__ import annotations

import pytest
from clusterwright_acceptance import running
from clusterwright_acceptance.checks import locked_memory

from tests.nodes.acceptance.fake_node import Node


@pytest.mark.parametrize(
    ("text", "verdict"), [("unlimited", "pass"), ("16777216", "pass"), ("8192", "fail")]
)
def test_limit_is_compared_with_the_floor(node: Node, text: str, verdict: str) -> None:
    node.command("bash", f"echo {text}")
    assert node.look("locked-memory").verdict == verdict


def test_strange_output_is_no_pass(node: Node) -> None:
    node.command("bash", "echo lots")
    with pytest.raises(running.Unreadable):
        node.look("locked-memory")


def test_it_applies_with_accelerators_or_efa(node: Node) -> None:
    assert locked_memory.applies(node.expected) is None
    node.expect(kind="none", efa=False)
    assert locked_memory.applies(node.expected) is not None
