"""Start Slurm's daemons in the right order (scripted configuration).

HyperPod writes slurm.conf on the controller; this step waits for it and fails if it does not come.
The controller gets the partitions that slurm.conf lacks, then slurmctld, which must answer. The
others wait for slurmctld, then start their daemon, which fetches its configuration from there. A
unit of the image is never rewritten: what is added goes into a drop-in.
"""

from __future__ import annotations

from clusterwright_node import slurm_conf, systemd
from clusterwright_node.errors import StepError
from clusterwright_node.inputs import Instance
from clusterwright_node.node import APPLIES, SATISFIED, Node, Verdict, missing, skip

AFTER = ("clock", "lustre", "scratch", "user_homes")
DEADLINE_SECONDS = 900
RETRIES = 10

PARTITIONS_FILE = slurm_conf.FOLDER + "/clusterwright-partitions.conf"
_INCLUDE = "include clusterwright-partitions.conf"
_CONTROLLER_PORT = 6817
_RECONFIGURING = "slurm_daemons: reconfigure slurmctld"
_HINT_CONF = "see /var/log/provision on the controller: HyperPod writes slurm.conf there"
_HINT_CONTROLLER = (
    "see the controller's own log, and that the security group lets port 6817 through"
)
# Role: the daemon's unit and the variable that its unit passes on.
_CLIENTS: dict[str, tuple[str, str]] = {
    "compute": ("slurmd.service", "SLURMD_OPTIONS"),
    "login": ("sackd.service", "SACKD_OPTIONS"),
}


def applies(node: Node) -> Verdict:
    if node.is_managed:
        return skip("HyperPod starts Slurm in the managed configuration")
    return APPLIES


def check(node: Node) -> Verdict:
    reason = _controller_lacks(node) if node.is_controller else _client_lacks(node)
    return SATISFIED if reason is None else missing(reason)


def apply(node: Node) -> None:
    if node.is_controller:
        _apply_controller(node)
    else:
        _apply_client(node)
    node.wait_until(lambda: _not_answering(node), _HINT_CONTROLLER)


# --- controller


def _controller_lacks(node: Node) -> str | None:
    reason = _conf_lacks(node)
    if reason is not None:
        return reason
    if not _has_partitions(node):
        return "slurm.conf lacks partitions of cluster.json, or their nodes have changed"
    if node.journal.begun(_RECONFIGURING) is not None:
        return "slurmctld may not have read slurm.conf again"
    for unit in ("munge.service", "slurmctld.service"):
        if not systemd.is_enabled_and_active(node, unit):
            return f"{unit} is not active and enabled"
    return _not_answering(node)


def _apply_controller(node: Node) -> None:
    node.wait_until(lambda: _conf_lacks(node), _HINT_CONF)
    if not _has_partitions(node) or node.journal.begun(_RECONFIGURING) is not None:
        node.journal.begin(_RECONFIGURING, slurm_conf.SLURM_CONF)
        _write_partitions(node)
        if systemd.is_active(node, "slurmctld.service"):
            node.machine.change("scontrol", "reconfigure")
        node.journal.end(_RECONFIGURING)
    _start(node, "munge.service")
    _start(node, "slurmctld.service")


def _conf_lacks(node: Node) -> str | None:
    if not slurm_conf.is_complete(node.machine):
        return f"{slurm_conf.SLURM_CONF} is not there or not complete"
    names = slurm_conf.names_by_address(node.machine)
    absent = [
        instance.name
        for instance in node.inputs.resources.instances
        if _role(node, instance) == "compute" and instance.address not in names
    ]
    if absent:
        return f"slurm.conf does not name the nodes {', '.join(absent[:10])}"
    return None


def _has_partitions(node: Node) -> bool:
    text = _partitions_text(node)
    if not text:
        return True
    has_file = node.machine.read_text(PARTITIONS_FILE) == text
    return has_file and _INCLUDE in (node.machine.read_text(slurm_conf.SLURM_CONF) or "")


def _write_partitions(node: Node) -> None:
    """Puts our partitions into a file of their own, beside slurm.conf, where configless hands it
    out.
    """
    text = _partitions_text(node)
    if not text:
        return
    node.machine.write_text(PARTITIONS_FILE, text)
    conf = node.machine.read_text(slurm_conf.SLURM_CONF) or ""
    if _INCLUDE not in conf.splitlines():
        conf += "" if conf.endswith("\n") else "\n"
        mode = node.machine.mode_of(slurm_conf.SLURM_CONF) or 0o644
        node.machine.write_text(slurm_conf.SLURM_CONF, conf + _INCLUDE + "\n", mode=mode)


def _partitions_text(node: Node) -> str:
    """The lines for the partitions that HyperPod's own files lack; empty when they lack none."""
    have = slurm_conf.partitions(node.machine, without=PARTITIONS_FILE)
    names = slurm_conf.names_by_address(node.machine)
    lines = []
    for entry in node.inputs.cluster.slurm.partitions:
        if entry.name in have:
            continue
        groups = [g.name for g in node.inputs.cluster.groups if g.partition == entry.name]
        nodes = [
            names[i.address] for group in groups for i in node.inputs.resources.of_group(group)
        ]
        if not nodes:
            raise StepError(
                f"partition {entry.name} has no nodes", "give one of its groups a count"
            )
        default = "YES" if entry.default else "NO"
        lines.append(
            f"PartitionName={entry.name} Nodes={','.join(nodes)} Default={default}"
            " MaxTime=INFINITE State=UP\n"
        )
    if not lines:
        return ""
    return "# Written by clusterwright_node: what HyperPod's slurm.conf lacks.\n" + "".join(lines)


def _role(node: Node, instance: Instance) -> str:
    group = node.inputs.cluster.group(instance.group)
    assert group is not None, "verify_inputs checks it"
    return group.role


# --- compute and login


def _client_lacks(node: Node) -> str | None:
    unit, variable = _CLIENTS[node.group.role]
    if node.machine.read_text(_environment_path(unit)) != _environment_text(node, variable):
        return f"{_environment_path(unit)} is not current"
    if node.machine.read_text(_drop_in_path(unit)) != _drop_in_text(unit):
        return f"{_drop_in_path(unit)} is not current"
    for name in ("munge.service", unit):
        if not systemd.is_enabled_and_active(node, name):
            return f"{name} is not active and enabled"
    return _not_answering(node)


def _apply_client(node: Node) -> None:
    unit, variable = _CLIENTS[node.group.role]
    _refuse_unknown_unit(node, unit, variable)
    address = _controller_address(node)

    def not_listening() -> str | None:
        if node.machine.can_connect(address, _CONTROLLER_PORT):
            return None
        return f"slurmctld at {address}:{_CONTROLLER_PORT} does not answer"

    node.wait_until(not_listening, _HINT_CONTROLLER)
    _start(node, "munge.service")
    files = (
        (_environment_path(unit), _environment_text(node, variable)),
        (_drop_in_path(unit), _drop_in_text(unit)),
    )
    if any(node.machine.read_text(path) != text for path, text in files):
        # Stopped before it is changed: a run that is killed in between is then seen to be
        # unfinished. Jobs go on.
        if systemd.is_active(node, unit):
            node.machine.change("systemctl", "stop", unit)
        for path, text in files:
            node.machine.write_text(path, text)
    node.machine.change("systemctl", "daemon-reload")
    _start(node, unit)


def _refuse_unknown_unit(node: Node, unit: str, variable: str) -> None:
    if not systemd.exists(node, unit):
        raise StepError(
            f"the image has no {unit}",
            f"a {node.group.role} node without it is not built yet in the scripted configuration;"
            " use managed",
        )
    result = node.machine.query("systemctl", "cat", unit)
    if "$" + variable not in result.stdout and f"${{{variable}}}" not in result.stdout:
        raise StepError(
            f"{unit} of the image does not pass on ${variable}, so the controller's address cannot"
            " be given to it",
            "use the managed configuration with this image",
        )


def _controller_address(node: Node) -> str:
    group = next(group for group in node.inputs.cluster.groups if group.role == "controller")
    instances = node.inputs.resources.of_group(group.name)
    if len(instances) != 1:
        raise StepError(
            f"resource_config.json has {len(instances)} controllers in group {group.name}",
            "one controller is what is built",
        )
    return instances[0].address


def _environment_path(unit: str) -> str:
    return "/etc/clusterwright/{}.env".format(unit.split(".", maxsplit=1)[0])


def _environment_text(node: Node, variable: str) -> str:
    return f'{variable}="--conf-server {_controller_address(node)}:{_CONTROLLER_PORT}"\n'


def _drop_in_path(unit: str) -> str:
    return f"{systemd.UNIT_FOLDER}/{unit}.d/50-clusterwright.conf"


def _drop_in_text(unit: str) -> str:
    # A file, not Environment=: a later file wins over the image's own EnvironmentFile, a plain
    # setting does not.
    return (
        f"# Written by clusterwright_node.\n[Service]\nEnvironmentFile={_environment_path(unit)}\n"
    )


# --- both


def _start(node: Node, unit: str) -> None:
    if not systemd.is_enabled_and_active(node, unit):
        node.machine.change("systemctl", "enable", unit)
        systemd.start(node, unit)


def _not_answering(node: Node) -> str | None:
    result = node.machine.query("scontrol", "ping")
    return None if result.ok and " UP" in result.stdout else f"`scontrol ping` says: {result.said}"
