"""CPUs."""

from __future__ import annotations

import pytest
from clusterwright_acceptance import running

from tests.nodes.acceptance.fake_node import Node


@pytest.mark.parametrize(("cpus", "cores"), [(192, 96), (96, 96)])
def test_the_types_cpus_pass_with_and_without_hyper_threading(
    node: Node, cpus: int, cores: int
) -> None:
    node.cpus(cpus, cores)
    found = node.look("cpus")
    assert (found.verdict, found.value) == ("pass", float(cpus))
    assert found.facts == {"cpus": cpus, "cores": cores, "sockets": 2}


def test_offline_cpus_fail(node: Node) -> None:
    node.cpus(191, 96)
    assert node.look("cpus").reason == "191 CPUs are online, p5.48xlarge has 96 or 192"
    node.cpus(96, 48)
    assert node.look("cpus").reason == "48 of 96 cores are online"


def test_strange_output_is_no_pass(node: Node) -> None:
    node.prints("lscpu", "CPU(s): 192")
    with pytest.raises(running.Unreadable):
        node.look("cpus")


def test_unknown_type_is_unknown(node: Node) -> None:
    node.expect(instance_type="p99.48xlarge")
    assert node.look("cpus").verdict == "unknown"
