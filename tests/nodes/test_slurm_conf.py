"""Reading of slurm.conf."""

from __future__ import annotations

from collections.abc import Callable

from clusterwright_common.hostlist import expanded
from clusterwright_node import slurm_conf

from tests.nodes.world import World

CONF = "opt/slurm/etc/slurm.conf"


def test_host_lists_are_expanded() -> None:
    assert expanded("a[1-3,7],b") == ["a1", "a2", "a3", "a7", "b"]
    assert expanded("n[08-11]") == ["n08", "n09", "n10", "n11"]
    assert expanded("r[1-2]n[1-2]") == ["r1n1", "r1n2", "r2n1", "r2n2"]
    assert expanded("ip-10-1-0-5") == ["ip-10-1-0-5"]


def test_slurm_conf_includes_and_continuations_are_read(
    world: Callable[..., World],
) -> None:
    node = world("controller-1", "scripted")
    machine = node.run().machine
    (node.root / CONF).write_text(
        "clustername=x # comment\nSlurmctldHost=c\nInclude nodes.conf\n"
        "PartitionName=DEFAULT State=UP\nPartitionName=a \\\n  Nodes=n1\n#PartitionName=b\n"
    )
    (node.root / "opt/slurm/etc/nodes.conf").write_text(
        "NodeName=DEFAULT CPUs=1\nNodeName=n[1-2] NodeAddr=10.0.0.[1-2]\nNodeName=10.0.0.9\n"
        "KillWait=9\n"
    )
    assert slurm_conf.is_complete(machine)
    assert slurm_conf.global_settings(machine) == {
        "clustername": "x",
        "SlurmctldHost": "c",
        "KillWait": "9",
    }
    assert slurm_conf.names_by_address(machine) == {
        "10.0.0.1": "n1",
        "10.0.0.2": "n2",
        "10.0.0.9": "10.0.0.9",
    }
