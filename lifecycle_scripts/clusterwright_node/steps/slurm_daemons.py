"""Start Slurm's daemons in the right order (scripted configuration).

The controller starts slurmctld with the files of the step slurm_files, or reconfigures or restarts
a running one. The others wait for slurmctld, then start their daemon, which gets its configuration
from there. Units of the image are not rewritten: additions are drop-ins. On a login node without
sackd, commands get the configuration from the controller themselves.
"""

from __future__ import annotations

from clusterwright_node import slurm_generate, slurm_health, systemd
from clusterwright_node.errors import StepError
from clusterwright_node.node import APPLIES, SATISFIED, Node, Verdict, missing, skip
from clusterwright_node.steps.slurm_files import READING

AFTER = (
    "acceptance_hold",
    "clock",
    "container_programs",
    "lustre",
    "metadata_service",
    "munge_key",
    "scratch",
    "slurm_files",
    "slurm_qos",
    "user_homes",
    # The programs in slurm.conf must exist before slurmd starts.
    *((slurm_health.STEP,) if slurm_health.is_there() else ()),
)
DEADLINE_SECONDS = 900
RETRIES = 10

PROFILE = "/etc/profile.d/clusterwright-slurm.sh"
_CONTROLLER_PORT = slurm_generate.CONTROLLER_PORT
_HINT_CONTROLLER = "see the controller's log, and check that the security group allows port 6817"
# Role: the daemon's unit, and the variable with its options.
_CLIENTS: dict[str, tuple[str, str]] = {
    "compute": ("slurmd.service", "SLURMD_OPTIONS"),
    "login": ("sackd.service", "SACKD_OPTIONS"),
}


# They load the driver and create its device files; a unit that does not exist is ignored.
_DEVICE_UNITS = (
    "systemd-modules-load.service nvidia-persistenced.service nvidia-fabricmanager.service"
)


def applies(node: Node) -> Verdict:
    if node.is_managed:
        return skip(node.does("starts Slurm"))
    return APPLIES


def check(node: Node) -> Verdict:
    if node.is_controller:
        reason = _controller_lacks(node)
    elif _asks_itself(node):
        reason = _asking_lacks(node)
    else:
        reason = _client_lacks(node)
    return SATISFIED if reason is None else missing(reason)


def apply(node: Node) -> None:
    if node.is_controller:
        _apply_controller(node)
    else:
        _await_controller(node)
        systemd.ensure(node, "munge.service")
        if _asks_itself(node):
            node.machine.write_text(PROFILE, _profile(node))
        else:
            _apply_client(node)
    node.wait_until(lambda: _not_answering(node), _HINT_CONTROLLER)


# --- controller


def _controller_lacks(node: Node) -> str | None:
    if node.journal.begun(READING) is not None:
        return "slurmctld may not have reloaded its files"
    for unit in ("munge.service", "slurmctld.service"):
        if not systemd.is_enabled_and_active(node, unit):
            return f"{unit} is not active and enabled"
    return _not_answering(node)


def _apply_controller(node: Node) -> None:
    systemd.ensure(node, "munge.service")
    how = node.journal.begun(READING)
    if how is not None and systemd.is_active(node, "slurmctld.service"):
        if how == "restart":
            # Jobs continue: slurmctld saves its state.
            systemd.restart(node, "slurmctld.service")
            node.wait_until(lambda: _not_answering(node), _HINT_CONTROLLER)
        # After a restart too: it sends the files to running nodes.
        node.machine.change("scontrol", "reconfigure")
    systemd.ensure(node, "slurmctld.service")
    # The unit may be active before slurmctld has read its files.
    node.wait_until(lambda: _not_answering(node), _HINT_CONTROLLER)
    # It also answers while its unit still reloads, which is not active.
    node.wait_until(lambda: _between_states(node), _HINT_CONTROLLER)
    if how is not None:
        node.journal.end(READING)


def _between_states(node: Node) -> str | None:
    state = systemd.properties(node, "slurmctld.service", ("ActiveState",)).get("ActiveState")
    passing = ("reloading", "activating", "deactivating")
    return f"slurmctld.service is {state}" if state in passing else None


# --- compute and login


def _client_lacks(node: Node) -> str | None:
    unit, variable = _CLIENTS[node.group.role]
    if node.machine.read_text(_environment_path(unit)) != _environment_text(node, variable):
        return f"{_environment_path(unit)} is outdated"
    if node.machine.read_text(_drop_in_path(unit)) != _drop_in_text(unit):
        return f"{_drop_in_path(unit)} is outdated"
    for name in ("munge.service", unit):
        if not systemd.is_enabled_and_active(node, name):
            return f"{name} is not active and enabled"
    return _not_answering(node)


def _apply_client(node: Node) -> None:
    unit, variable = _CLIENTS[node.group.role]
    _refuse_unknown_unit(node, unit, variable)
    files = (
        (_environment_path(unit), _environment_text(node, variable)),
        (_drop_in_path(unit), _drop_in_text(unit)),
    )
    if any(node.machine.read_text(path) != text for path, text in files):
        # Stop it before the change, so that an interrupted run is visible. Jobs continue.
        if systemd.is_active(node, unit):
            node.machine.change("systemctl", "stop", unit)
        for path, text in files:
            node.machine.write_text(path, text)
    node.machine.change("systemctl", "daemon-reload")
    systemd.ensure(node, unit)


def _await_controller(node: Node) -> None:
    address = _controller_address(node)

    def not_listening() -> str | None:
        if node.machine.can_connect(address, _CONTROLLER_PORT):
            return None
        return f"slurmctld at {address}:{_CONTROLLER_PORT} does not respond"

    node.wait_until(not_listening, _HINT_CONTROLLER)


def _refuse_unknown_unit(node: Node, unit: str, variable: str) -> None:
    if not systemd.exists(node, unit):
        raise StepError(f"the image has no {unit}", "use a HyperPod image")
    result = node.machine.query("systemctl", "cat", unit)
    if "$" + variable not in result.stdout and f"${{{variable}}}" not in result.stdout:
        raise StepError(
            f"{unit} of the image does not use ${variable}, so it cannot receive the controller's "
            "address",
            "use the managed configuration with this image",
        )


def _asks_itself(node: Node) -> bool:
    """Whether the node's commands get their configuration without a daemon."""
    return node.group.role == "login" and not systemd.exists(node, "sackd.service")


def _asking_lacks(node: Node) -> str | None:
    if node.machine.read_text(PROFILE) != _profile(node):
        return f"{PROFILE} is outdated"
    if not systemd.is_enabled_and_active(node, "munge.service"):
        return "munge.service is not active and enabled"
    return _not_answering(node)


def _profile(node: Node) -> str:
    return (
        "# Written by clusterwright_node: Slurm's commands read the configuration from the "
        "controller.\n"
        f"export SLURM_CONF_SERVER={_controller_address(node)}:{_CONTROLLER_PORT}\n"
    )


def _controller_address(node: Node) -> str:
    group = next(group for group in node.inputs.cluster.groups if group.role == "controller")
    instances = node.inputs.resources.of_group(group.name)
    if len(instances) != 1:
        raise StepError(
            f"resource_config.json has {len(instances)} controllers in group {group.name}",
            "exactly one controller is supported",
        )
    return instances[0].address


def _environment_path(unit: str) -> str:
    return "/etc/clusterwright/{}.env".format(unit.split(".", maxsplit=1)[0])


def _environment_text(node: Node, variable: str) -> str:
    return f'{variable}="--conf-server {_controller_address(node)}:{_CONTROLLER_PORT}"\n'


def _drop_in_path(unit: str) -> str:
    return f"{systemd.UNIT_FOLDER}/{unit}.d/50-clusterwright.conf"


def _drop_in_text(unit: str) -> str:
    """The additions to the image's unit.

    slurmd ends at once if a device file of gres.conf does not exist yet, or if slurmctld, which
    has the configuration, does not answer, for example while the whole cluster boots. Debian's
    and Slurm's units do not start it again, so the node would stay down until somebody does.
    """
    # A file, not Environment=: a later file overrides the image's EnvironmentFile, a plain setting
    # does not.
    return f"""# Written by clusterwright_node.
[Unit]
After={_DEVICE_UNITS}
StartLimitIntervalSec=0

[Service]
EnvironmentFile={_environment_path(unit)}
Restart=on-failure
RestartSec=5
"""


# --- both


def _not_answering(node: Node) -> str | None:
    """Whether slurmctld answers, by the command that knows where it is."""
    command: tuple[str, ...] = ("scontrol", "ping")
    if not node.is_controller and _asks_itself(node):
        server = f"SLURM_CONF_SERVER={_controller_address(node)}:{_CONTROLLER_PORT}"
        command = ("env", server, *command)
    result = node.machine.query(*command)
    return None if result.ok and " UP" in result.stdout else f"`scontrol ping`: {result.said}"
