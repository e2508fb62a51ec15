"""Every configuration that is generated is one that a real slurmctld takes, and means what we say.

Slurm is that of the rehearsal's node images: Debian's 24.11 and 26.05, which bracket the 25.11 of
HyperPod's image. Nodes are in state CLOUD: slurmctld takes them for machines that it could start,
and says where it would put a job.
"""

from __future__ import annotations

import io
import json
import os
import re
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from clusterwright_common.probe import Probe
from clusterwright_metrics.sources import slurmctld
from clusterwright_metrics.text import Metrics
from clusterwright_node import inputs as inputs_module
from clusterwright_node import slurm_generate
from clusterwright_node.catalogue import load_steps, step_names
from clusterwright_node.contract import ClusterFile
from clusterwright_node.inputs import Inputs
from clusterwright_node.journal import Journal
from clusterwright_node.log import Log
from clusterwright_node.node import Node
from clusterwright_node.runner import run_steps
from clusterwright_node.slurm_generate import SlurmNode
from clusterwright_node.slurm_topology import Place

from clusterwright.catalog import load_catalog
from clusterwright.cluster_spec import load_spec
from clusterwright_rehearsal.nodes import images
from clusterwright_rehearsal.runs import DEFAULT_STATE
from stacks.lifecycle import node_files
from tests.nodes.world import MUNGE_SECRET, RESOURCES, input_files
from tests.support.real_slurm import RealSlurm
from tests.support.slurm_configuration import (
    SITE,
    generated,
    nodes_of,
    parse,
    without_accounting,
)
from tests.support.slurm_inside import SECRETS, TOPOLOGY, InsideMachine, prepare

pytestmark = [
    pytest.mark.slow,
    pytest.mark.slurm,
    pytest.mark.skipif(
        sys.platform != "linux" or os.geteuid() != 0, reason="namespaces need root on Linux"
    ),
]

CONFIGS = sorted(
    path
    for path in (Path(__file__).parents[2] / "configs").rglob("*.yaml")
    if path.name != "base.yaml"
    and path.parent.name != "users"
    # On other platforms Slurm is configured by the platform, or absent.
    and load_spec(path).cluster.platform == "hyperpod-slurm"
)
LEAF, ULTRASERVER = 16, 18


@pytest.fixture(scope="module", params=images.SUITES)
def slurm(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[RealSlurm]:
    root = images.image(DEFAULT_STATE / "cache", request.param).root
    with RealSlurm(root, tmp_path_factory.mktemp(request.param) / "machine") as machine:
        prepare(machine)
        yield machine


def cluster(**slurm_changes: Any) -> ClusterFile:
    """The cluster of docs/reference/node-files.md, without a database."""
    parsed = parse(input_files("scripted")["cluster.json"])
    return without_accounting(parsed, **slurm_changes)


def places(nodes: list[SlurmNode], kind: str, short: int = 0) -> dict[str, Place]:
    """16 nodes to a leaf, 16 leaves to a node above, and UltraServers of 18 for `block`; the
    first `short` nodes are missing from the first UltraServer.
    """
    found = {}
    for index, node in enumerate(nodes):
        path = (
            f"nn-{index // 4096:017x}",
            f"nn-1{index // 256:016x}",
            f"nn-2{index // LEAF:016x}",
        )
        ultraserver = f"us-{(index + short) // ULTRASERVER}" if kind == "block" else None
        found[node.name] = Place(path, ultraserver)
    return found


def placed(slurm: RealSlurm, *options: str) -> list[str]:
    """Names of the nodes that a job with these options would use."""
    said = slurm.check("sbatch", "--test-only", "--exclusive", *options, "--wrap", "true")
    match = re.search(r"on nodes (\S+) in partition", said)
    assert match, said
    return slurm.check("scontrol", "show", "hostnames", match.group(1)).split()


def count_of_nodes(slurm: RealSlurm) -> int:
    return len(set(slurm.check("sinfo", "--noheader", "--Node", "--format=%N").split()))


@pytest.mark.parametrize("kind", ["tree", "block"])
@pytest.mark.parametrize("count", [6, 512, 2048, 10_000])
def test_every_size_is_accepted_and_scheduled(slurm: RealSlurm, count: int, kind: str) -> None:
    nodes = nodes_of({"workers": count})
    found = places(nodes, kind)
    slurm.write(generated(cluster(), nodes, found))
    slurm.start_controller()
    assert slurm.complaints() == []
    assert count_of_nodes(slurm) == count
    slurm.check("scontrol", "reconfigure")
    assert count_of_nodes(slurm) == count
    assert slurm.complaints() == []
    if kind == "tree":
        job = placed(slurm, f"--nodes={min(count, LEAF)}")
        assert len({found[name].path[-1] for name in job}) == 1, "one leaf"
    else:
        whole = min(count, ULTRASERVER)
        job = placed(slurm, f"--nodes={whole}", f"--segment={whole}")
        assert len({found[name].block for name in job}) == 1, "one UltraServer"
    assert len(job) == min(count, LEAF if kind == "tree" else ULTRASERVER)
    assert len(placed(slurm, f"--nodes={count}")) == count, "a job may have everything"


def test_nodes_outside_complete_ultraservers_run_jobs(slurm: RealSlurm) -> None:
    """slurmctld 24.11 exits on an incomplete block, and does not use nodes outside of blocks."""
    nodes = nodes_of({"workers": 60})
    found = places(nodes, "block", short=6)
    for node in nodes[-6:]:
        found[node.name] = Place((), None)
    slurm.write(generated(cluster(), nodes, found))
    slurm.start_controller()
    assert slurm.complaints() == []
    assert count_of_nodes(slurm) == 60, "names without a machine are not shown"
    blocks = {found[name].block for name in placed(slurm, "--nodes=18", "--segment=18")}
    assert len(blocks) == 1
    assert blocks != {"us-0"}, "not the one that has 12"
    for node in (nodes[0], nodes[-1]):
        job = slurm.check("sbatch", "--parsable", "--nodelist", node.name, "--wrap", "true")
        slurm.check("scancel", job.strip())
    # A job that spans incomplete blocks states its segments.
    assert len(placed(slurm, "--nodes=60", "--segment=6")) == 60


def test_nodes_without_ultraservers_form_one_cluster(slurm: RealSlurm) -> None:
    nodes = nodes_of({"workers": 136})
    found = places(nodes, "block")
    for index, node in enumerate(nodes[36:]):
        found[node.name] = Place(("nn-a", f"nn-{index // LEAF}"), None)
    slurm.write(generated(cluster(), nodes, found))
    slurm.start_controller()
    assert slurm.complaints() == []
    assert len(placed(slurm, "--nodes=100", "--exclude=" + slurm_list(nodes[:36]))) == 100
    assert len(placed(slurm, "--nodes=136")) == 136


def slurm_list(nodes: list[SlurmNode]) -> str:
    return ",".join(node.name for node in nodes)


def test_cluster_with_two_spines_and_unknown_nodes_is_connected(slurm: RealSlurm) -> None:
    nodes = nodes_of({"workers": 40})
    found = {}
    for index, node in enumerate(nodes):
        path = (f"nn-top{index % 2}", f"nn-mid{index % 2}", f"nn-leaf{index % 4}")
        found[node.name] = Place(path if index < 30 else path[1:], None)
    for node in nodes[-4:]:
        found[node.name] = Place((), None)
    slurm.write(generated(cluster(), nodes, found, "tree"))
    slurm.start_controller()
    assert slurm.complaints() == []
    assert len(placed(slurm, "--nodes=40")) == 40


def test_topology_is_replaced_as_by_the_program(slurm: RealSlurm) -> None:
    nodes = nodes_of({"workers": 36})
    before = generated(cluster(), nodes, places(nodes, "tree"))
    slurm.write(before)
    slurm.start_controller()
    after = generated(cluster(), nodes, places(nodes, "block"))
    assert slurm_generate.needs_restart(before["slurm.conf"], after["slurm.conf"] or "")
    slurm.write(after)
    slurm.stop_controller()
    slurm.resume_controller()
    slurm.check("scontrol", "reconfigure")
    assert "BlockName=us-0" in slurm.check("scontrol", "show", "topology")


def test_nodes_are_added_and_removed_by_reconfiguration(slurm: RealSlurm) -> None:
    few, many = nodes_of({"workers": 30}), nodes_of({"workers": 50})
    before = generated(cluster(), few, places(few, "tree"))
    after = generated(cluster(), many, places(many, "tree"))
    assert not slurm_generate.needs_restart(before["slurm.conf"], after["slurm.conf"] or "")
    slurm.write(before)
    slurm.start_controller()
    for files, count in ((after, 50), (before, 30)):
        slurm.write(files)
        slurm.check("scontrol", "reconfigure")
        assert count_of_nodes(slurm) == count


@pytest.mark.parametrize("path", CONFIGS, ids=lambda path: path.stem)
def test_configuration_of_every_spec_is_accepted(slurm: RealSlurm, path: Path) -> None:
    spec = load_spec(path).cluster
    parsed = without_accounting(parse(node_files.cluster_json(spec, load_catalog())))
    counts = {group.name: group.count for group in spec.compute if group.role == "compute"}
    nodes = nodes_of(counts)
    unknown = [g.instance_type for g in parsed.groups if g.role == "compute" and g.cores is None]
    if unknown:
        # No source states the hardware of such a node; templates of scripted mode refuse the type.
        with pytest.raises(slurm_generate.GenerateError, match=unknown[0]):
            generated(parsed, nodes, None)
        return
    for kind in ("none", "tree", "block"):
        found = places(nodes, kind) if kind != "none" else None
        slurm.write(generated(parsed, nodes, found))
        slurm.start_controller()
        assert slurm.complaints() == [], kind
        assert count_of_nodes(slurm) == sum(counts.values())
    partitions = slurm.check("scontrol", "--oneliner", "show", "partition")
    assert partitions.count("PartitionName=") == len(spec.slurm.partitions)
    for group in parsed.groups:
        if group.role == "compute" and group.accelerator != "none" and counts[group.name]:
            name = {"nvidia": "gpu", "neuron": "neuron"}[group.accelerator]
            options = (
                f"--gres={name}:{group.accelerator_count}",
                f"--partition={group.partition}",
            )
            assert placed(slurm, "--nodes=1", *options)


def test_login_node_needs_no_files(slurm: RealSlurm) -> None:
    slurm.write(generated(cluster(), nodes_of({"workers": 6}), None))
    slurm.start_controller()
    conf = slurm.check("cat", "/opt/slurm/etc/slurm.conf")
    slurm.write({"slurm.conf": None})
    try:
        server = f"SLURM_CONF_SERVER={RealSlurm.ADDRESS}:6817"
        assert "train" in slurm.check("env", server, "sinfo")
    finally:
        slurm.write({"slurm.conf": conf})


# --- the node program itself on a controller, with a database

SLURM_STEPS = (
    "munge_key", "slurm_database", "slurmdbd", "slurm_files", "slurm_qos", "slurm_daemons",
    "slurm_accounts",
)  # fmt: skip


def controller(slurm: RealSlurm, files: dict[str, Any]) -> Node:
    """The controller of the node program, as after its first steps."""
    problems: list[str] = []
    parsed = inputs_module.parse_cluster(files["cluster.json"], problems, step_names())
    deployment = inputs_module.parse_deployment(files["deployment.json"], problems)
    resources = inputs_module.parse_resources(RESOURCES, problems)
    assert problems == []
    machine = InsideMachine(slurm)
    log = Log(machine, io.StringIO(), run="test")
    inputs = Inputs(parsed, deployment, None, resources)
    node = Node(machine, inputs, "scripted", Journal(machine), log)
    node.identified_as(resources.of_group("controller")[0])
    return node


def outcomes(node: Node) -> dict[str, str]:
    """Run the steps about Slurm, and return how each ended."""

    def stuck(step: str, seconds: float) -> None:
        raise AssertionError(f"{step} hangs after {seconds} s")

    steps = [step for step in load_steps() if step.name in SLURM_STEPS]
    log = node._log
    ended = run_steps(node, steps, log, stuck, use_alarm=False)
    for outcome in ended:
        assert outcome.status != "failed", f"{outcome.step}: {outcome.error}"
    return {outcome.step: outcome.status for outcome in ended}


def test_controller_enforces_limits(slurm: RealSlurm) -> None:
    """From nothing to QOS, accounts and spares, with real MariaDB, slurmdbd and slurmctld."""
    slurm.stop_controller()
    slurm.check("sh", "-c", "rm -rf /var/spool/slurmctld/* /opt/slurm/etc/*")
    slurm.write({MUNGE_SECRET.rpartition("/")[2]: "k" * 128}, SECRETS)
    ids = [entry["InstanceId"] for entry in RESOURCES["InstanceGroups"][2]["Instances"]]
    found = [{"InstanceId": i, "NetworkNodes": ["a", "b", "c"]} for i in ids]
    slurm.write({Path(TOPOLOGY).name: json.dumps({"Instances": found})}, "/srv")
    for name, settings in SITE.items():
        text = "".join(f"{key}={value}\n" for key, value in settings.items())
        slurm.check("mkdir", "-p", "/opt/slurm/etc/clusterwright-site")
        slurm.write({name: text}, "/opt/slurm/etc/clusterwright-site")
    slurm.write(
        {
            "slurm.conf": "ClusterName=x\nSlurmctldHost=ip-10-1-0-10(10.1.0.10)\n"
            "NodeName=ip-10-1-0-[31-33] NodeAddr=10.1.0.[31-33]\n"
        }
    )
    files = input_files("scripted")
    files["cluster.json"]["slurm"].update(
        preemption="requeue",
        qos=[
            _qos("urgent", priority=100, preempts=["low"]),
            _qos("low", grace_seconds=90, max_nodes_per_user=1, max_time_minutes=1500),
        ],
        accounts=[{"name": "research", "fair_share": 10, "max_nodes": 2, "qos": []}],
    )
    files["cluster.json"]["groups"][2]["spare_count"] = 1
    first = outcomes(controller(slurm, files))
    assert set(first.values()) == {"applied"}, first

    again = controller(slurm, files)
    assert set(outcomes(again).values()) == {"unchanged"}
    machine = again.machine
    assert isinstance(machine, InsideMachine)
    assert machine.changes == []

    said = slurm.check(
        "sacctmgr", "-nP", "show", "qos", "format=name,priority,preempt,gracetime,grptres"
    )
    assert "urgent|100|low|00:00:00|" in said
    assert "low|0||00:01:30|" in said
    assert "cw-partition-train|0||00:00:00|node=2" in said
    assert slurm.complaints() == []
    refused = slurm.run("sbatch", "--nodes=3", "--wrap", "true")
    assert "QOSGrpNodeLimit" in refused.text, "one of three nodes is spare"
    assert slurm.run("sbatch", "--nodes=2", "--wrap", "true").returncode == 0

    files["cluster.json"]["groups"][2]["spare_count"] = 0
    files["cluster.json"]["slurm"].update(
        preemption="off", topology="none", qos=[_qos("low")], accounts=[]
    )
    changed = controller(slurm, files)
    ended = outcomes(changed)
    assert ended["slurm_files"] == ended["slurm_qos"] == ended["slurm_daemons"] == "applied"
    assert isinstance(changed.machine, InsideMachine)
    assert ("systemctl", "restart", "slurmctld.service") in changed.machine.ran
    assert "topology/default" in slurm.check("scontrol", "show", "config").replace(
        "flat", "default"
    )
    assert set(outcomes(controller(slurm, files)).values()) == {"unchanged"}
    assert slurm.run("sbatch", "--nodes=3", "--wrap", "true").returncode == 0
    assert slurm.check("squeue", "--noheader").count("\n") == 2, "jobs outlive the restart"


def _qos(name: str, **changes: object) -> dict[str, object]:
    return {
        "name": name, "priority": 0, "preempts": [], "grace_seconds": 0,
        "max_nodes_per_user": None, "max_time_minutes": None, **changes,
    }  # fmt: skip


def test_slurmctld_serves_the_metrics_that_the_exporter_passes_on(
    slurm: RealSlurm, tmp_path: Path
) -> None:
    """With Slurm's 26.05; 24.11 refuses the setting, so only 25.11 and later get it."""
    version = tuple(int(part) for part in slurm.version().split(".")[:2])
    slurm.write(generated(cluster(), nodes_of({"workers": 6}), None, has_openmetrics=True))
    if version < slurm_generate.OPENMETRICS_SINCE:
        with pytest.raises(AssertionError, match="unrecognized key: MetricsType"):
            slurm.start_controller()
        return
    slurm.start_controller()
    assert slurm.complaints() == []
    for name in ("scontrol", "curl"):
        program = tmp_path / name
        program.write_text(f'#!/bin/sh\nexec {shlex.join(slurm.argv([name]))} "$@"\n')
        program.chmod(0o755)
    found = Metrics()
    slurmctld.collect(Probe("/", 30.0, f"{tmp_path}:/usr/sbin:/usr/bin:/sbin:/bin"), found)
    assert set(found.families) == slurmctld.PASSED_ON
    [(labels, idle)] = found.families["slurm_partition_nodes_idle"].samples
    assert (dict(labels), idle) == ({"partition": "train"}, 6)
