"""The step that starts Slurm in the scripted configuration."""

from __future__ import annotations

from collections.abc import Callable

from clusterwright_node import slurm_conf
from clusterwright_node.slurm_conf import expanded

from tests.nodes.world import World

CONF = "opt/slurm/etc/slurm.conf"
PARTITIONS = "opt/slurm/etc/clusterwright-partitions.conf"


def started(node: World) -> list[str]:
    run = node.run()
    assert run.code == 0, run.text
    return [argv[2] for argv in run.machine.ran if argv[:2] == ("systemctl", "start")]


def test_the_controller_gets_its_partitions_and_slurmctld(world: Callable[..., World]) -> None:
    node = world("controller-1", "scripted")
    units = started(node)
    assert units.index("munge.service") < units.index("slurmctld.service")
    assert "slurmd.service" not in units
    text = (node.root / PARTITIONS).read_text()
    assert "PartitionName=train Nodes=ip-10-1-0-31,ip-10-1-0-32,ip-10-1-0-33 Default=YES" in text
    conf = (node.root / CONF).read_text()
    assert conf.endswith("include clusterwright-partitions.conf\n")
    assert conf.startswith("# written by HyperPod\n"), "HyperPod's own lines stay"
    read = [line.split()[0] for line in node.state["partitions_read"]]
    assert sorted(read) == ["PartitionName=dev", "PartitionName=train"]


def test_partitions_that_hyperpod_wrote_are_left_to_it(world: Callable[..., World]) -> None:
    node = world("controller-1", "scripted")
    conf = node.root / CONF
    conf.write_text(conf.read_text() + "PartitionName=train Nodes=ALL\n")
    before = conf.read_text()
    started(node)
    assert conf.read_text() == before
    assert not (node.root / PARTITIONS).exists()


def test_slurm_conf_is_waited_for(world: Callable[..., World]) -> None:
    node = world("controller-1", "scripted")
    conf = node.root / CONF
    conf.write_text("ClusterName=prod\n")  # half written
    run = node.run()
    assert run.code == 1
    assert "not done after 900 s: /opt/slurm/etc/slurm.conf is not there or not comp" in run.last
    assert "/var/log/provision" in run.last


def test_a_slurm_conf_without_our_nodes_is_named(world: Callable[..., World]) -> None:
    node = world("controller-1", "scripted")
    conf = node.root / CONF
    conf.write_text(
        conf.read_text().replace("ip-10-1-0-33", "ip-10-1-0-99").replace("10.1.0.33", "10.1.0.99")
    )
    assert "slurm.conf does not name the nodes workers-3" in node.run().last


def test_new_nodes_reach_a_running_slurmctld(world: Callable[..., World]) -> None:
    node = world("controller-1", "scripted")
    started(node)
    resources = node.root / "opt/ml/config/resource_config.json"
    resources.write_text(resources.read_text().replace("10.1.0.33", "10.1.0.34"))
    conf = node.root / CONF
    conf.write_text(
        conf.read_text().replace("10.1.0.33", "10.1.0.34").replace("ip-10-1-0-33", "ip-10-1-0-34")
    )
    assert started(node) == []
    assert "ip-10-1-0-34" in (node.root / PARTITIONS).read_text()
    assert node.state["reconfigured"]


def test_a_worker_waits_for_the_controller_then_starts_slurmd(world: Callable[..., World]) -> None:
    event = {"at": 70, "path": ["controller_up"], "value": True}
    node = world("workers-1", "scripted", controller_up=False, events=[event])
    units = started(node)
    assert "slurmd.service" in units
    assert "slurmctld.service" not in units
    environment = (node.root / "etc/clusterwright/slurmd.env").read_text()
    assert environment == 'SLURMD_OPTIONS="--conf-server 10.1.0.10:6817"\n'
    drop_in = node.root / "etc/systemd/system/slurmd.service.d/50-clusterwright.conf"
    assert "EnvironmentFile=/etc/clusterwright/slurmd.env" in drop_in.read_text()
    assert not (node.root / "etc/systemd/system/slurmd.service").exists(), "never rewritten"


def test_a_controller_that_never_answers_fails(world: Callable[..., World]) -> None:
    run = world("workers-1", "scripted", controller_up=False).run()
    assert run.code == 1
    assert "not done after 900 s: slurmctld at 10.1.0.10:6817 does not answer" in run.last
    assert "6817" in run.last


def test_a_unit_that_passes_no_options_is_refused(world: Callable[..., World]) -> None:
    node = world("workers-1", "scripted")
    units = node.state["image_units"]
    units["slurmd.service"] = "[Service]\nExecStart=/opt/slurm/sbin/slurmd -D\n"
    node.change(image_units=units)
    assert "does not pass on $SLURMD_OPTIONS" in node.run().last


def test_a_login_node_runs_sackd_and_is_refused_without(world: Callable[..., World]) -> None:
    assert "sackd.service" in started(world("login-1", "scripted"))
    node = world("login-1", "scripted")
    units = node.state["image_units"]
    del units["sackd.service"]
    node.change(image_units=units)
    run = node.run()
    assert run.code == 1
    assert "the image has no sackd.service" in run.last
    assert "not built yet" in run.last


def test_managed_leaves_slurm_to_hyperpod(world: Callable[..., World]) -> None:
    run = world("workers-1").run()
    assert run.end_of("slurm_daemons")["hint"] == (
        "HyperPod starts Slurm in the managed configuration"
    )


def test_host_lists_are_expanded() -> None:
    assert expanded("a[1-3,7],b") == ["a1", "a2", "a3", "a7", "b"]
    assert expanded("n[08-11]") == ["n08", "n09", "n10", "n11"]
    assert expanded("r[1-2]n[1-2]") == ["r1n1", "r1n2", "r2n1", "r2n2"]
    assert expanded("ip-10-1-0-5") == ["ip-10-1-0-5"]


def test_slurm_conf_is_read_through_includes_and_continuations(
    world: Callable[..., World],
) -> None:
    node = world("controller-1", "scripted")
    (node.root / CONF).write_text(
        "clustername=x # comment\nSlurmctldHost=c\nInclude nodes.conf\n"
        "PartitionName=DEFAULT State=UP\nPartitionName=a \\\n  Nodes=n1\n#PartitionName=b\n"
    )
    (node.root / "opt/slurm/etc/nodes.conf").write_text(
        "NodeName=DEFAULT CPUs=1\nNodeName=n[1-2] NodeAddr=10.0.0.[1-2]\nNodeName=10.0.0.9\n"
    )
    machine = node.run().machine
    assert slurm_conf.is_complete(machine)
    assert slurm_conf.partitions(machine) == ["a"]
    assert slurm_conf.names_by_address(machine) == {
        "10.0.0.1": "n1",
        "10.0.0.2": "n2",
        "10.0.0.9": "10.0.0.9",
    }
