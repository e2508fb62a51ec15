"""Install the health checks before, after and between jobs.

In the scripted configuration this program writes slurm.conf, and Slurm runs the three programs. In
the managed configuration HyperPod writes it: a timer runs the checks, none runs before a job, and
every run logs that. On ParallelCluster there is the timer too, and the step `slurm_scripts` of the
head node configures the checks before and after a job. On PCS the cluster's custom Slurm settings
name the three programs, so Slurm runs them as in the scripted configuration.
"""

from __future__ import annotations

from clusterwright_common.probe import Probe
from clusterwright_health.checks import efa
from clusterwright_health.expected import FILE, Expected, NoExpectation, read_expected, written

from clusterwright_node import programs, slurm_health, systemd
from clusterwright_node.node import APPLIES, SATISFIED, Node, Verdict, missing, skip

AFTER = ("efa_transport", "home", "lustre", "scratch")
DEADLINE_SECONDS = 60
RETRIES = 1

PACKAGE = "clusterwright_health"
TIMER = "clusterwright-health.timer"
SERVICE = "clusterwright-health.service"
_MODES = {
    slurm_health.PROLOG: "prolog",
    slurm_health.EPILOG: "epilog",
    slurm_health.HEALTH_CHECK: "periodic",
}

_SERVICE_TEXT = f"""# Written by clusterwright_node.
[Unit]
Description=Health checks of this node

[Service]
Type=oneshot
ExecStart={programs.command(PACKAGE, "periodic")}
"""

_TIMER_TEXT = f"""# Written by clusterwright_node.
[Unit]
Description=Timer of the health checks of this node

[Timer]
OnActiveSec=60
OnUnitActiveSec={slurm_health.HEALTH_CHECK_INTERVAL_SECONDS}
AccuracySec=1

[Install]
WantedBy=timers.target
"""


def applies(node: Node) -> Verdict:
    if node.group.role != "compute":
        return skip("jobs run only on compute nodes")
    return APPLIES


def check(node: Node) -> Verdict:
    if not programs.is_installed(node, PACKAGE):
        return missing(f"{PACKAGE} is missing or outdated")
    for path, (text, mode) in _files(node).items():
        if not node.machine.has_text(path, text, mode):
            return missing(f"{path} is missing or outdated")
    if not _has_timer(node):
        return SATISFIED
    if not systemd.has_unit(node, TIMER, _TIMER_TEXT):
        return missing(f"{TIMER} is not active and enabled")
    if node.is_parallelcluster:
        return SATISFIED
    node.notice(
        "no health check runs directly before a job: HyperPod writes the managed slurm.conf, "
        "including Prolog and HealthCheckProgram; a timer runs the checks every "
        f"{slurm_health.HEALTH_CHECK_INTERVAL_SECONDS} s"
    )
    return SATISFIED


def apply(node: Node) -> None:
    programs.install(node, PACKAGE)
    for path, (text, mode) in _files(node).items():
        # Only changed files: a kill within a needless write would leave a temporary file.
        if not node.machine.has_text(path, text, mode):
            node.machine.write_text(path, text, mode=mode)
    if _has_timer(node):
        systemd.install_unit(node, TIMER, _TIMER_TEXT)


def _has_timer(node: Node) -> bool:
    """Whether slurm.conf does not name the periodic program."""
    return node.is_managed and not node.is_pcs


def _files(node: Node) -> dict[str, tuple[str, int]]:
    """Texts and modes by path."""
    files = {FILE: (_expectation(node), 0o644)}
    files.update({path: (_entry(mode), 0o755) for path, mode in _MODES.items()})
    if _has_timer(node):
        files[systemd.unit_path(SERVICE)] = (_SERVICE_TEXT, 0o644)
    return files


def _entry(mode: str) -> str:
    return programs.script("Written by clusterwright_node.", programs.command(PACKAGE, mode))


def _expectation(node: Node) -> str:
    cluster, group = node.inputs.cluster, node.group
    shared = [entry.mount_path for entry in cluster.lustre]
    if cluster.home is not None:
        shared.append(cluster.home.mount_path)
    return written(
        Expected(
            slurm_name=node.slurm_name,
            accelerator=group.accelerator,
            accelerator_count=group.accelerator_count,
            efa_count=_efa_count(node) if group.efa else 0,
            shared_paths=tuple(shared),
            scratch_path=None if group.scratch is None else group.scratch.mount_path,
        )
    )


def _efa_count(node: Node) -> int:
    """The maximum that was ever seen: a lost device must not reduce the expectation."""
    probe = Probe(str(node.machine.path("/")))
    seen = len(efa.devices(probe))
    try:
        return max(seen, read_expected(probe).efa_count)
    except NoExpectation:
        return seen
