"""A missing, a failing and a hanging program are distinguished."""

from __future__ import annotations

import pytest
from clusterwright_acceptance import running

from tests.nodes.acceptance.fake_node import Node


def test_programs_are_found_in_their_usual_places(node: Node) -> None:
    assert running.program(node.probe(), node.expected, "nvidia-smi") == "nvidia-smi"
    with pytest.raises(running.Missing, match="fi_pingpong is not on this node"):
        running.program(node.probe(), node.expected, "fi_pingpong")
    node.write("/opt/amazon/efa/bin/fi_pingpong", "")
    found = running.program(node.probe(), node.expected, "fi_pingpong")
    assert found == f"{node.root}/opt/amazon/efa/bin/fi_pingpong"


def test_configured_program_that_is_missing_is_not_replaced(node: Node) -> None:
    node.expect(programs={"nvidia-smi": "/opt/other"})
    with pytest.raises(running.Missing, match="/opt/other, which the settings name"):
        running.program(node.probe(), node.expected, "nvidia-smi")


def test_hanging_program_is_killed_in_time(node: Node) -> None:
    node.hangs("slow")
    with pytest.raises(running.Hung, match="slow did not end within 0 s"):
        running.run(node.probe(), ["slow"], 0.2)


def test_failing_program_is_unreadable(node: Node) -> None:
    node.command("bad", "echo broken >&2; exit 3")
    assert running.run(node.probe(), ["bad"], 5.0).exit_code == 3
    with pytest.raises(running.Unreadable, match="bad: broken"):
        running.output(node.probe(), ["bad"], 5.0)


def test_environment_is_set(node: Node) -> None:
    node.command("shows", "echo $FI_A-$FI_B")
    assert running.output(node.probe(), ["shows"], 5.0, {"FI_B": "2", "FI_A": "1"}) == "1-2\n"
