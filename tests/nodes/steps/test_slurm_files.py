"""The step that writes Slurm's configuration."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from tests.nodes.world import World

ETC = "opt/slurm/etc/"


def conf(node: World) -> str:
    return (node.root / ETC / "slurm.conf").read_text()


def test_files_are_generated_and_the_agent_file_is_kept(world: Callable[..., World]) -> None:
    node = world("controller-1", "scripted")
    agents = conf(node)
    run = node.run()
    assert run.code == 0, run.text
    assert conf(node).startswith("# Written by clusterwright_node")
    assert (node.root / ETC / "slurm.conf.hyperpod").read_text() == agents
    assert "NodeName=ip-10-1-0-[31-33] NodeAddr=10.1.0.[31-33] CPUs=192" in conf(node)
    assert "PartitionName=train Nodes=ip-10-1-0-[31-33] Default=YES" in conf(node)
    assert "PartitionName=dev" not in conf(node), "HyperPod's own partition of all nodes"
    gres = (node.root / ETC / "gres.conf").read_text()
    assert "NodeName=ip-10-1-0-[31-33] Name=gpu File=/dev/nvidia[0-7]" in gres
    topology = (node.root / ETC / "topology.conf").read_text()
    assert "SwitchName=nn-c0 Nodes=ip-10-1-0-[31,33]" in topology
    assert "TopologyPlugin=topology/tree" in conf(node)


def test_names_and_settings_of_the_agent_are_used(world: Callable[..., World]) -> None:
    node = world("controller-1", "scripted")
    (node.root / ETC / "slurm.conf").write_text(
        "ClusterName=other\nSlurmctldHost=ip-10-1-0-10(10.1.0.10)\ninclude more.conf\n"
        "SlurmctldParameters=cloud_dns\nSlurmctldLogFile=/var/log/aws/slurmctld.log\n"
        "NodeName=w[1-3] NodeAddr=10.1.0.[31-33] CPUs=192\nPartitionName=dev Nodes=ALL\n"
    )
    (node.root / ETC / "more.conf").write_text("KillOnBadExit=1\nSelectType=select/linear\n")
    assert node.run().code == 0
    text = conf(node)
    assert "ClusterName=prod\n" in text
    assert "NodeName=w[1-3] NodeAddr=10.1.0.[31-33]" in text or "NodeName=w1 " in text
    assert "KillOnBadExit=1\n" in text
    assert "SelectType=select/cons_tres\n" in text
    assert "SlurmctldParameters=enable_configless,cloud_dns\n" in text
    assert "SlurmctldLogFile=/var/log/aws/slurmctld.log\n" in text


def test_file_of_the_agent_is_awaited(world: Callable[..., World]) -> None:
    node = world("controller-1", "scripted")
    (node.root / ETC / "slurm.conf").unlink()
    run = node.run()
    assert run.code == 0, run.text
    assert run.end_of("slurm_files")["seconds"] >= 120
    assert any("nodes are named after their addresses" in text for text in run.notices())
    assert "NodeName=ip-10-1-0-[31-33]" in conf(node)


def test_rewritten_agent_file_changes_nothing(world: Callable[..., World]) -> None:
    node = world("controller-1", "scripted")
    agents = conf(node)
    node.run()
    ours = conf(node)
    (node.root / ETC / "slurm.conf").write_text(agents)
    run = node.run()
    assert run.statuses()["slurm_files"] == "applied"
    assert conf(node) == ours
    assert node.state["reconfigured"]


def test_added_node_reconfigures_slurm(world: Callable[..., World]) -> None:
    node = world("controller-1", "scripted")
    node.run()
    resources = node.root / "opt/ml/config/resource_config.json"
    resources.write_text(resources.read_text().replace("10.1.0.33", "10.1.0.77"))
    node.change(reconfigured=False)
    run = node.run()
    assert run.statuses()["slurm_files"] == "applied"
    assert "ip-10-1-0-[31-32,77]" in conf(node)
    assert node.state["reconfigured"]
    assert not [argv for argv in run.machine.ran if "restart" in argv]


def test_changed_topology_plugin_restarts_slurm(world: Callable[..., World]) -> None:
    node = world("controller-1", "scripted")
    node.run()
    node.edit("cluster.json", lambda c: c["slurm"].update(topology="none"))
    run = node.run()
    assert ("systemctl", "restart", "slurmctld.service") in run.machine.ran
    assert not (node.root / ETC / "topology.conf").exists()
    assert not [line for line in node.state["slurm_started_with"] if "Topology" in line]
    third = node.run()
    assert third.machine.points == []


def test_site_settings_take_precedence(world: Callable[..., World]) -> None:
    node = world("controller-1", "scripted")
    folder = node.root / ETC / "clusterwright-site"
    folder.mkdir()
    (folder / "slurm.conf").write_text("ProctrackType=proctrack/linuxproc\nDebugFlags=Gres\n")
    (folder / "cgroup.conf").write_text("CgroupPlugin=disabled\n")
    node.run()
    assert "ProctrackType=proctrack/linuxproc\n" in conf(node)
    assert "proctrack/cgroup" not in conf(node)
    assert "DebugFlags=Gres\n" in conf(node)
    assert "CgroupPlugin=disabled\n" in (node.root / ETC / "cgroup.conf").read_text()


def test_ec2_is_called_once_for_the_same_nodes(world: Callable[..., World]) -> None:
    node = world("controller-1", "scripted")
    asked = [argv for argv in node.run().machine.ran if "describe-instance-topology" in argv]
    assert len(asked) == 1
    assert not [argv for argv in node.run().machine.ran if "describe-instance-topology" in argv]


def test_requested_but_unknown_topology_is_refused(
    world: Callable[..., World],
) -> None:
    node = world("controller-1", "scripted", topology={})
    node.edit("cluster.json", lambda c: c["slurm"].update(topology="tree"))
    run = node.run()
    assert run.code == 1
    assert "EC2 returns no topology of the 3 nodes" in run.last


@pytest.mark.parametrize("kind", ["automatic", "tree"])
def test_unreachable_ec2_has_no_topology(world: Callable[..., World], kind: str) -> None:
    node = world("controller-1", "scripted")
    node.edit("cluster.json", lambda c: c["slurm"].update(topology=kind))
    node.edit("deployment.json", lambda d: d.update(munge_key_secret_arn=None))
    node.change(aws_error="UnauthorizedOperation: not allowed")
    run = node.run()
    if kind == "automatic":
        assert run.code == 0, run.text
        assert any("uses a flat network" in text for text in run.notices())
        assert not (node.root / ETC / "topology.conf").exists()
    else:
        assert run.code == 1
        assert "ec2:DescribeInstanceTopology" in run.last


def test_ultraservers_become_blocks(world: Callable[..., World]) -> None:
    ids = [f"i-0b00000000000000{n}" for n in (1, 2, 3)]
    topology = {
        ids[0]: {"CapacityBlockId": "us-1", "NetworkNodes": ["a"]},
        ids[1]: {"CapacityBlockId": "us-1", "NetworkNodes": ["a"]},
        ids[2]: {"CapacityBlockId": "us-2", "NetworkNodes": ["a"]},
    }
    node = world("controller-1", "scripted", topology=topology)
    assert node.run().code == 0
    text = (node.root / ETC / "topology.conf").read_text()
    assert "BlockName=us-1 Nodes=ip-10-1-0-[31-32]\n" in text
    assert "BlockName=us-2 Nodes=cw-absent-1,ip-10-1-0-33\n" in text
    assert "BlockSizes=2\n" in text
    assert "NodeName=cw-absent-1 State=FUTURE\n" in conf(node)


def test_type_without_a_source_is_refused(world: Callable[..., World]) -> None:
    node = world("controller-1", "scripted")
    node.edit("cluster.json", lambda c: c["groups"][2].update(cores=None))
    run = node.run()
    assert run.code == 1
    assert "does not have the cores and memory of p5.48xlarge" in run.last


def test_other_nodes_fetch_the_files_from_the_controller(world: Callable[..., World]) -> None:
    hint = world("workers-1", "scripted").run().end_of("slurm_files")["hint"]
    assert hint == "the controller distributes its files"
    assert "managed" in world("controller-1").run().end_of("slurm_files")["hint"]


def test_answer_of_ec2_is_saved(world: Callable[..., World]) -> None:
    node = world("controller-1", "scripted")
    node.run()
    kept = json.loads((node.root / "var/lib/clusterwright/topology.json").read_text())
    assert len(kept["instances"]) == 3
    assert kept["answer"]["Instances"][0]["NetworkNodes"][-1] == "nn-c0"


@pytest.mark.parametrize(
    ("wanted", "version", "written"),
    [
        (True, "25.11.4", True),
        (True, "26.05.5", True),
        (True, "25.05.3", False),
        (True, "24.11.5", False),
        (False, "26.05.5", False),
    ],
)
def test_slurmctld_serves_its_metrics_where_the_version_has_them(
    world: Callable[..., World], wanted: bool, version: str, written: bool
) -> None:
    """Slurm 24.11.5 refuses a slurm.conf with the setting."""
    node = world("controller-1", "scripted")
    node.change(slurm_version=f"slurm {version}")
    node.edit("cluster.json", lambda value: value["metrics"].update(slurm_openmetrics=wanted))
    run = node.run()
    assert run.code == 0, run.text
    assert ("MetricsType=metrics/openmetrics\n" in conf(node)) == written
    told = [text for text in run.notices() if "no metrics of slurmctld" in text]
    assert bool(told) == (wanted and not written)
    assert all(text.endswith(f"and this is slurm {version}") for text in told)
