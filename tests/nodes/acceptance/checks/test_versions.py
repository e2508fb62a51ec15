"""Versions."""

from __future__ import annotations

import pytest
from clusterwright_acceptance import running
from clusterwright_acceptance.checks import versions

from tests.nodes.acceptance.fake_node import Node

FACTS = {
    "nvidia_driver": "570.133.20",
    "nccl": "2.27.5",
    "libfabric": "2.1.0amzn3.0",
    "kernel": "6.8.0-1021-aws",
}
REPORT = "/var/lib/clusterwright/software.json"


def test_versions_are_facts(node: Node) -> None:
    found = node.look("versions")
    assert (found.verdict, found.reason) == ("pass", "")
    assert found.facts == FACTS


def test_they_are_read_from_the_node_as_it_is_now(node: Node) -> None:
    """Nobody ran the node program after an update: its file has the versions of before."""
    node.software(nvidia_driver="550.1", nccl="2.20.0", libfabric="1.0", components=())
    found = node.look("versions")
    assert (found.verdict, found.facts) == ("pass", FACTS)


def test_a_rule_about_a_version_that_changed_says_nothing(node: Node) -> None:
    node.software(refused="the driver is new enough for CUDA", nvidia_driver="470.1")
    found = node.look("versions")
    assert (found.verdict, found.reason) == (
        "unknown",
        "the node program has decided for other versions: nvidia_driver 470.1, now 570.133.20; "
        "it has to run again",
    )
    assert found.facts == FACTS


def test_what_a_program_does_not_answer_now_is_named(node: Node) -> None:
    (node.root / "opt/amazon/efa/bin/fi_info").write_text("#!/bin/sh\nexit 1\n")
    found = node.look("versions")
    assert (found.verdict, found.facts) == ("pass", FACTS)
    assert found.reason == "from the last run of the node program: libfabric"


def test_refused_combination_fails(node: Node) -> None:
    node.software(refused="the driver is new enough for CUDA", nvidia_driver="570.133.20")
    assert node.look("versions").reason == "not satisfied: the driver is new enough for CUDA"


def test_a_driver_that_is_not_loaded_has_no_version(node: Node) -> None:
    (node.root / "proc/driver/nvidia/version").unlink()
    with pytest.raises(running.Unreadable, match="the version of nvidia_driver is not known"):
        node.look("versions")


def test_a_node_without_the_node_program_has_versions(node: Node) -> None:
    (node.root / REPORT.lstrip("/")).unlink()
    found = node.look("versions")
    assert (found.verdict, found.facts) == ("pass", FACTS)


@pytest.mark.parametrize("text", ["{}", "x", '{"versions": {}, "rules": [{"rule": "a"}]}'])
def test_a_damaged_file_is_no_pass(node: Node, text: str) -> None:
    node.write(REPORT, text)
    with pytest.raises(running.Unreadable):
        node.look("versions")


def test_it_applies_with_accelerators_or_efa(node: Node) -> None:
    assert versions.applies(node.expected) is None
    node.expect(kind="none", efa=False)
    assert versions.applies(node.expected) is not None
