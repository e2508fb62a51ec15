"""Write Slurm's configuration on the controller (scripted configuration).

HyperPod's agent writes a slurm.conf with the names of the nodes; AWS's scripts wait a minute for
it. This step waits for it too, copies it to `slurm.conf.hyperpod`, and replaces it: with the
names, the settings of the agent that this program does not set, accounting, topology, devices and
limits. If the agent writes none, nodes are named after their addresses, as their hosts are. If the
agent writes it again, the step replaces it again.
"""

from __future__ import annotations

import json
import re

from clusterwright_node import slurm_conf, slurm_generate, slurm_health, slurm_topology
from clusterwright_node.errors import CommandError, StepError
from clusterwright_node.inputs import Instance
from clusterwright_node.node import APPLIES, SATISFIED, Node, Verdict, missing, skip
from clusterwright_node.slurm_generate import GenerateError, SlurmNode, Surroundings
from clusterwright_node.slurm_topology import Place, Topology
from clusterwright_node.steps import slurmdbd

AFTER = ("clock", "lustre", "scratch", "slurmdbd", "user_homes")
DEADLINE_SECONDS = 900
RETRIES = 5

READING = "slurm_files: slurmctld reads its files"
"""An action that begins here and ends in slurm_daemons; `restart` or `reconfigure`."""

AGENTS_CONF = slurm_conf.FOLDER + "/slurm.conf.hyperpod"
TOPOLOGY = "/var/lib/clusterwright/topology.json"
_AGENT_SECONDS = 120.0
_IDS_PER_CALL = 100  # DescribeInstanceTopology takes no more (botocore 1.44.5)
_FOLDERS = (
    slurm_generate.STATE_FOLDER,
    slurm_generate.LOG_FOLDER,
)


def applies(node: Node) -> Verdict:
    if node.is_managed:
        return skip(node.does("writes slurm.conf"))
    if not node.is_controller:
        return skip("the controller distributes its files")
    return APPLIES


def check(node: Node) -> Verdict:
    if not _is_ours(node):
        return missing(
            f"{slurm_conf.SLURM_CONF} does not exist, or HyperPod's agent has written it"
        )
    if _known_topology(node) is None:
        return missing("the location of the nodes in the network is unknown")
    for folder in _FOLDERS:
        if node.machine.owner_of(folder) != slurmdbd.slurm_ids(node):
            return missing(f"{folder} does not belong to Slurm")
    wrong = _outdated(node, _files(node))
    return missing(f"outdated: {', '.join(wrong)}") if wrong else SATISFIED


def apply(node: Node) -> None:
    if not _is_ours(node):
        _take_agents(node)
    if _known_topology(node) is None:
        _ask_for_topology(node)
    for folder in _FOLDERS:
        slurmdbd.own_folder(node, folder)
    files = _files(node)
    wrong = _outdated(node, files)
    if not wrong:
        return
    # Before the first change; a later run, which finds a part of it done, does not weaken it.
    how = node.journal.begun(READING)
    before = node.machine.read_text(slurm_conf.SLURM_CONF)
    if how != "restart" and slurm_generate.needs_restart(before, files["slurm.conf"] or ""):
        how = "restart"
    node.journal.begin(READING, how or "reconfigure")
    # slurm.conf last: until it is replaced, the step is visibly incomplete.
    for name in sorted(wrong, key=lambda name: (name == "slurm.conf", name)):
        path = f"{slurm_conf.FOLDER}/{name}"
        text = files[name]
        if text is None:
            node.machine.remove(path)
        else:
            node.machine.write_text(path, text)


# --- HyperPod's agent


def _is_ours(node: Node) -> bool:
    return (node.machine.read_text(slurm_conf.SLURM_CONF) or "").startswith(slurm_generate.MARK)


def _take_agents(node: Node) -> None:
    """Wait for the agent's slurm.conf and copy it."""
    ends = node.machine.monotonic() + min(_AGENT_SECONDS, node.seconds_left() / 2)
    while True:
        lacks = _agents_lacks(node)
        if lacks is None:
            break
        if node.machine.monotonic() >= ends:
            node.notice(
                f"HyperPod's agent has written no usable slurm.conf ({lacks}): nodes are named "
                "after their addresses"
            )
            return
        node.machine.sleep(2.0)
    text = node.machine.read_text(slurm_conf.SLURM_CONF) or ""
    if node.machine.read_text(AGENTS_CONF) != text:
        node.machine.write_text(AGENTS_CONF, text)


def _agents_lacks(node: Node) -> str | None:
    if not slurm_conf.is_complete(node.machine):
        return f"{slurm_conf.SLURM_CONF} is missing or incomplete"
    names = slurm_conf.names_by_address(node.machine)
    absent = [entry.name for entry in _instances(node) if entry.address not in names]
    return f"it does not have {', '.join(absent[:10])}" if absent else None


# --- what the cluster is


def _instances(node: Node) -> list[Instance]:
    """The instances that run jobs."""
    cluster = node.inputs.cluster
    roles = {group.name: group.role for group in cluster.groups}
    return [entry for entry in node.inputs.resources.instances if roles[entry.group] == "compute"]


def slurm_nodes(node: Node) -> list[SlurmNode]:
    """The nodes that run jobs, under Slurm's names."""
    names = slurm_conf.names_by_address(node.machine, AGENTS_CONF)
    return [
        SlurmNode(
            names.get(entry.address, "ip-" + entry.address.replace(".", "-")),
            entry.address,
            entry.group,
        )
        for entry in _instances(node)
    ]


def _files(node: Node) -> dict[str, str | None]:
    machine = node.machine
    site_folder = f"{slurm_conf.FOLDER}/{slurm_generate.SITE_FOLDER}"
    surroundings = Surroundings(
        controller_name=machine.hostname().split(".")[0],
        controller_address=node.identity.address,
        agent=slurm_conf.global_settings(machine, AGENTS_CONF),
        site={
            name: slurm_conf.global_settings(machine, f"{site_folder}/{name}")
            for name in ("slurm.conf", "cgroup.conf")
        },
        has_health_programs=slurm_health.is_there(),
        has_openmetrics=_has_openmetrics(node),
    )
    try:
        return slurm_generate.files(
            node.inputs.cluster, slurm_nodes(node), surroundings, _topology(node)
        )
    except GenerateError as error:
        raise StepError(
            str(error),
            "use an instance type of the catalogue, or the managed configuration",
        ) from None


def _has_openmetrics(node: Node) -> bool:
    """Whether the spec wants slurmctld's own metrics, and this Slurm has them."""
    metrics = node.inputs.cluster.metrics
    if metrics is None or not metrics.slurm_openmetrics:
        return False
    said = node.machine.query("slurmctld", "-V").stdout.strip()
    version = tuple(int(part) for part in re.findall(r"\d+", said)[:2])
    if version >= slurm_generate.OPENMETRICS_SINCE:
        return True
    node.notice(f"no metrics of slurmctld: they came with Slurm 25.11, and this is {said}")
    return False


def _outdated(node: Node, files: dict[str, str | None]) -> list[str]:
    return [
        name
        for name, text in files.items()
        if node.machine.read_text(f"{slurm_conf.FOLDER}/{name}") != text
    ]


# --- topology


def _topology(node: Node) -> Topology | None:
    kind = node.inputs.cluster.slurm.topology
    places = _known_topology(node) or {}
    by_address = {entry.address: entry.instance_id for entry in _instances(node)}
    nowhere = Place((), None)
    nodes = slurm_nodes(node)
    if kind == "none" or not nodes:
        return None
    return slurm_topology.topology(
        kind, {n.name: places.get(by_address[n.address], nowhere) for n in nodes}
    )


def _known_topology(node: Node) -> dict[str, Place] | None:
    """EC2's stored answer for exactly these instances; None if there is none."""
    if node.inputs.cluster.slurm.topology == "none":
        return {}
    try:
        known = json.loads(node.machine.read_text(TOPOLOGY) or "{}")
        if known.get("instances") != sorted(entry.instance_id for entry in _instances(node)):
            return None
        return slurm_topology.parse_answer(known["answer"])
    except (ValueError, KeyError, AttributeError):
        return None


def _ask_for_topology(node: Node) -> None:
    """Call EC2 and store the answer. For `automatic`, an error means a flat network."""
    kind = node.inputs.cluster.slurm.topology
    ids = sorted(entry.instance_id for entry in _instances(node))
    found: list[object] = []
    try:
        for start in range(0, len(ids), _IDS_PER_CALL):
            found += _describe(node, ids[start : start + _IDS_PER_CALL])
    except CommandError as error:
        if kind != "automatic":
            raise
        node.notice(f"Slurm uses a flat network: {error.cause}")
        found = []
    if kind != "automatic" and not any(
        place.path or place.block
        for place in slurm_topology.parse_answer({"Instances": found}).values()
    ):
        raise StepError(
            f"EC2 returns no topology of the {len(ids)} nodes, so slurm.topology: {kind} cannot "
            "be set",
            "topology: automatic or none; see EC2's list of instance types with a topology",
        )
    answer = {"instances": ids, "answer": {"Instances": found}}
    node.machine.write_text(TOPOLOGY, json.dumps(answer, sort_keys=True) + "\n")


def _describe(node: Node, ids: list[str]) -> list[object]:
    result = node.machine.query(
        "aws", "ec2", "describe-instance-topology", "--region", node.inputs.cluster.region,
        "--output", "json", "--instance-ids", *ids,
        timeout_seconds=60.0,
    )  # fmt: skip
    hint = (
        "the nodes' role needs ec2:DescribeInstanceTopology, and a closed network the endpoint of"
        " ec2; or set slurm.topology to none"
    )
    if not result.ok:
        raise CommandError(f"EC2's DescribeInstanceTopology failed: {result.said}", hint)
    try:
        value = json.loads(result.stdout)
        slurm_topology.parse_answer(value)
    except ValueError as error:
        raise CommandError(
            f"the response of DescribeInstanceTopology is not valid: {error}", hint
        ) from None
    instances: list[object] = value["Instances"]
    return instances
