"""Configure Slurm's tree topology on ParallelCluster (slurm.topology: tree).

ParallelCluster describes UltraServers to Slurm and nothing else. `TopologyPlugin` is not on the
deny list of CustomSlurmSettings, but slurmctld ends if the plugin is set without topology.conf,
and ParallelCluster starts it before custom actions. So the head node's custom action adds one line
to slurm.conf, which ParallelCluster writes once (cookbook, config_head_node.rb;
update_head_node.rb leaves it), as AWS's own sample does
(aws-samples/ec2-topology-aware-for-slurm): an include of a file that sets the plugin.

An update of queues removes topology.conf where no UltraServer is left, whoever wrote it, and
restarts slurmctld then (cookbook, block_topology, `--cleanup`). A drop-in of slurmctld's unit
restores a copy before each start.

Nodes in Slurm without an instance have a separate switch: Slurm starts no job on a node without a
switch.
"""

from __future__ import annotations

import json
import re
from typing import Any

from clusterwright_node import slurm_conf, slurm_topology
from clusterwright_node.errors import CommandError
from clusterwright_node.node import APPLIES, SATISFIED, Node, Verdict, missing, skip
from clusterwright_node.slurm_topology import Place

AFTER = ("clock", "slurm_scripts")
DEADLINE_SECONDS = 300
RETRIES = 3

READING = "topology: slurmctld reads its files"
TOPOLOGY = f"{slurm_conf.FOLDER}/topology.conf"
PLUGIN = f"{slurm_conf.FOLDER}/clusterwright_topology.conf"
COPY = "/var/lib/clusterwright/topology.conf"
KNOWN = "/var/lib/clusterwright/topology.json"
"""EC2's stored answer: `addresses` of nodes, `ids` of their instances, `answer`."""
SEEN = "/var/lib/clusterwright/topology.nodes"
"""A line `NAME ADDRESS` for each node whose instance EC2 has named, sorted as `sort` does in the C
locale; the timer of the step topology_follow compares it with Slurm's current nodes."""
DROP_IN = "/etc/systemd/system/slurmctld.service.d/50-clusterwright-topology.conf"
INCLUDE = "include clusterwright_topology.conf"
CLUSTER_TAG = "parallelcluster:cluster-name"
_MARK = "# Written by clusterwright_node."
_IDS_PER_CALL = 100  # DescribeInstanceTopology takes no more (botocore 1.44.5)
_EC2_SECONDS = 30.0
"""How long EC2 may take to show an instance that Slurm already has."""
_ADDRESS = re.compile(r"[0-9]{1,3}(?:\.[0-9]{1,3}){3}")
_HINT = (
    "the nodes' role needs ec2:DescribeInstances and ec2:DescribeInstanceTopology, and a closed"
    " network the endpoint of ec2; or set slurm.topology to auto"
)
_TEXTS = {
    PLUGIN: f"{_MARK}\nTopologyPlugin=topology/tree\n",
    DROP_IN: f"{_MARK}\n[Service]\nExecStartPre=+/bin/sh -c"
    f" 'test -e {TOPOLOGY} || cp {COPY} {TOPOLOGY}'\n",
}


def applies(node: Node) -> Verdict:
    if not node.is_parallelcluster:
        return skip("slurm_files writes it, or HyperPod")
    if not node.is_controller:
        return skip("the head node updates Slurm")
    if not is_wanted(node) and not _leftovers(node):
        return skip(node.does("configures the topology itself"))
    return APPLIES


def is_wanted(node: Node) -> bool:
    """Whether the spec has a tree topology; else ParallelCluster decides."""
    return node.inputs.cluster.slurm.topology == "tree"


def check(node: Node) -> Verdict:
    if not is_wanted(node):
        left = _leftovers(node)
        return (
            missing(f"{left[0]} belongs to a topology that the spec does not have")
            if left
            else SATISFIED
        )
    known = _known(node)
    if known is None or known["addresses"] != _addresses(node):
        return missing("the location of the nodes in the network is unknown")
    for path, text in _files(node, known).items():
        if node.machine.read_text(path) != text:
            return missing(f"{path} is missing or outdated")
    if not _is_included(node):
        return missing(f"{slurm_conf.SLURM_CONF} does not include the topology")
    if node.journal.begun(READING) is not None:
        return missing("slurmctld may not have reloaded its files")
    return SATISFIED


def apply(node: Node) -> None:
    if is_wanted(node):
        _tell(node)
    else:
        _leave_it(node)
    node.machine.change("scontrol", "reconfigure")
    node.wait_until(lambda: _not_answering(node), "see /var/log/slurmctld.log")
    if not is_wanted(node):
        for path in _leftovers(node):
            node.machine.remove(path)
    node.journal.end(READING)


def _tell(node: Node) -> None:
    addresses = _addresses(node)
    known = _known(node)
    if known is None or known["addresses"] != addresses:
        known = _ask(node, addresses)
    node.journal.begin(READING, "reconfigure")
    files = _files(node, known)
    for path, text in files.items():
        if node.machine.read_text(path) != text:
            node.machine.write_text(path, text)
    # Always: a run that was killed after it wrote the file has not reloaded.
    node.machine.change("systemctl", "daemon-reload")
    # Last: slurmctld would not start with it without the others.
    if not _is_included(node):
        text = node.machine.read_text(slurm_conf.SLURM_CONF) or ""
        end = "" if text.endswith("\n") or not text else "\n"
        node.machine.write_text(slurm_conf.SLURM_CONF, f"{text}{end}{_MARK}\n{INCLUDE}\n")


def _leave_it(node: Node) -> None:
    """Remove the line first: slurmctld needs the others until it has read slurm.conf again."""
    node.journal.begin(READING, "reconfigure")
    text = node.machine.read_text(slurm_conf.SLURM_CONF) or ""
    text = text.replace(f"{_MARK}\n{INCLUDE}\n", "").replace(f"{INCLUDE}\n", "")
    if node.machine.read_text(slurm_conf.SLURM_CONF) != text:
        node.machine.write_text(slurm_conf.SLURM_CONF, text)
    if node.machine.exists(DROP_IN):
        node.machine.remove(DROP_IN)
    node.machine.change("systemctl", "daemon-reload")


# --- what Slurm knows


def _leftovers(node: Node) -> list[str]:
    """The step's changes on the machine: slurm.conf if it has the line, and files."""
    found = [slurm_conf.SLURM_CONF] if _is_included(node) else []
    found += [path for path in (DROP_IN, PLUGIN, COPY, SEEN, KNOWN) if node.machine.exists(path)]
    # ParallelCluster has one of this name where there are UltraServers.
    if (node.machine.read_text(TOPOLOGY) or "").startswith(_MARK):
        found.append(TOPOLOGY)
    return found


def _is_included(node: Node) -> bool:
    text = node.machine.read_text(slurm_conf.SLURM_CONF) or ""
    return INCLUDE in text.splitlines()


def _addresses(node: Node) -> dict[str, str]:
    """The addresses of instances by Slurm's names of their nodes."""
    result = node.machine.query("scontrol", "--oneliner", "show", "nodes", timeout_seconds=60.0)
    if not result.ok:
        raise CommandError(
            f"scontrol does not report the addresses of nodes: {result.said}",
            "see /var/log/slurmctld.log",
        )
    found = {}
    for line in result.stdout.splitlines():
        words = slurm_conf.settings(line)
        if "nodename" in words and _ADDRESS.fullmatch(words.get("nodeaddr", "")):
            found[words["nodename"]] = words["nodeaddr"]
    return found


def _not_answering(node: Node) -> str | None:
    result = node.machine.query("scontrol", "ping")
    return None if result.ok else f"slurmctld does not respond: {result.said}"


# --- what EC2 knows


def _known(node: Node) -> dict[str, Any] | None:
    try:
        value = json.loads(node.machine.read_text(KNOWN) or "")
        slurm_topology.parse_answer(value["answer"])
        if all(isinstance(value[key], dict) for key in ("addresses", "ids")):
            found: dict[str, Any] = value
            return found
    except (ValueError, KeyError, TypeError):
        pass
    return None


def _ask(node: Node, addresses: dict[str, str]) -> dict[str, Any]:
    """Get the instances at these addresses and their topology from EC2, and store them."""
    ids = _instances(node, set(addresses.values())) if addresses else {}
    absent = sorted(name for name, address in addresses.items() if address not in ids)
    if absent:
        node.notice(
            f"EC2 does not return the instances of {', '.join(absent[:10])}: the request is "
            "repeated in a minute"
        )
    wanted = sorted(ids[address] for address in addresses.values() if address in ids)
    found: list[object] = []
    for start in range(0, len(wanted), _IDS_PER_CALL):
        value = _aws(
            node, "describe-instance-topology", "--instance-ids",
            *wanted[start : start + _IDS_PER_CALL],
        )  # fmt: skip
        try:
            slurm_topology.parse_answer(value)
        except ValueError as error:
            raise CommandError(
                f"the response of DescribeInstanceTopology is not valid: {error}", _HINT
            ) from None
        found += value["Instances"]
    places = slurm_topology.parse_answer({"Instances": found})
    if wanted and not any(place.path for place in places.values()):
        node.notice(
            f"EC2 returns no topology of the {len(wanted)} nodes: Slurm treats them as equally "
            "near; see EC2's list of instance types with a topology"
        )
    known = {"addresses": addresses, "ids": ids, "answer": {"Instances": found}}
    node.machine.write_text(KNOWN, json.dumps(known, sort_keys=True) + "\n")
    return known


def _instances(node: Node, addresses: set[str]) -> dict[str, str]:
    """Ids of the cluster's instances by address; waits for those that EC2 does not show yet."""
    here = node.inputs.here
    assert here is not None, "ParallelCluster"
    ends = node.machine.monotonic() + min(_EC2_SECONDS, node.seconds_left() / 2)
    while True:
        rows = _aws(
            node, "describe-instances", "--filters",
            f"Name=tag:{CLUSTER_TAG},Values={here.stack_name}",
            "Name=instance-state-name,Values=pending,running",
            "--query", "Reservations[].Instances[].[PrivateIpAddress,InstanceId]",
        )  # fmt: skip
        if not isinstance(rows, list):
            raise CommandError("the response of DescribeInstances is not valid", _HINT)
        found = {
            row[0]: row[1]
            for row in rows
            if isinstance(row, list) and len(row) == 2 and row[0] in addresses
        }
        if len(found) == len(addresses) or node.machine.monotonic() >= ends:
            return found
        node.machine.sleep(5.0)


def _aws(node: Node, *words: str) -> Any:
    result = node.machine.query(
        "aws", "ec2", *words, "--region", node.inputs.cluster.region, "--output", "json",
        timeout_seconds=120.0,
    )  # fmt: skip
    if not result.ok:
        raise CommandError(f"`aws ec2 {words[0]}` failed: {result.said}", _HINT)
    try:
        return json.loads(result.stdout)
    except ValueError as error:
        raise CommandError(f"`aws ec2 {words[0]}` did not print JSON: {error}", _HINT) from None


# --- files


def _files(node: Node, known: dict[str, Any]) -> dict[str, str]:
    """Texts by path, in the order in which they are written."""
    places = slurm_topology.parse_answer(known["answer"])
    ids = known["ids"]
    seen = {name: at for name, at in known["addresses"].items() if at in ids}
    nowhere = Place((), None)
    names = [name for name, _ in slurm_conf.node_names(node.machine)]
    found = {
        name: places.get(ids[seen[name]], nowhere) if name in seen else nowhere for name in names
    }
    text = f"{_MARK}\n{slurm_topology.tree(found).text}"
    return {
        COPY: text,
        TOPOLOGY: text,
        **_TEXTS,
        SEEN: "".join(sorted(f"{name} {address}\n" for name, address in seen.items())),
    }
