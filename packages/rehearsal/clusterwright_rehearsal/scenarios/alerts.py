"""Every alert that emulated hardware can show fires in a real Prometheus, and clears.

Debian's Prometheus scrapes the nodes with the rules of `clusterwright render alerts`, and its
Alertmanager routes as the one of the stacks does, to a receiver on a loopback address. All
durations of rules and routes are divided by 30 (`prometheus/shortened_rules.py`), so that a rule
that waits for 30 minutes waits for one. Meanwhile each query of the rendered dashboards is put to
that Prometheus.
"""

from __future__ import annotations

import datetime as dt
import json
import shlex
import time
from concurrent.futures import ThreadPoolExecutor

from clusterwright.monitoring.metrics import metrics
from clusterwright.monitoring.promql import uses
from clusterwright_rehearsal.prometheus import not_shown, programs
from clusterwright_rehearsal.prometheus.scene import Scene, monitored
from clusterwright_rehearsal.scenario_api import faults
from clusterwright_rehearsal.scenario_api import job_measurements as measurements
from clusterwright_rehearsal.scenario_api.context import ScenarioContext
from clusterwright_rehearsal.scenario_api.node import Node

ORDER = 170
SECONDS = 170
NEEDS_COMPUTE = 2
MODES = ("managed",)

PROMISES = {
    "quiet": "on a healthy cluster no alert fires but those on idle GPUs and the end of capacity",
    "fires": "with each fault its alert fires",
    "panels": "every query of the dashboards returns data, or is listed as one of hardware only",
    "clears": "without the faults every alert clears",
    "routed": "every alert and its end reach the receiver of its severity, and no other",
}

CAPACITY = frozenset({"CapacityEndsInOneDay", "CapacityEndsInTwoHours", "CapacityEndsInMinutes"})
FAULTS = frozenset(
    {
        "ClockNotSynchronised",
        "EfaIdleWhileJobsRun",
        "EfaPortDown",
        "EfaRemoteUnresponsive",
        "GpuThrottledByHeat",
        "GpusBusyWithoutWork",
        "HealthCheckFails",
        "LustreMountMissing",
        "NcclBandwidthBelowAccepted",
        "NvlinkErrorsGrow",
        "PartitionDegraded",
        "RowRemapFailed",
        "UncorrectableMemoryErrors",
        "XidNeedsAction",
    }
)
LONG = frozenset(
    {"DcgmDown", "GpuMissing", "GpusIdle", "NodeProgramUnfinished", "NodesDrained",
     "StepTimeRegressed"}
)  # fmt: skip
WITHOUT_DRIVER = frozenset(
    {"CheckpointOverdue", "ExporterSourceFails", "GpuMetricsAbsent", "TrainingWithoutProgress"}
)
WITHOUT_SLURM = frozenset({"SlurmctldDown"})
SILENCE = frozenset({"ClusterSilent", "ExporterDown", "NodeSilent", "SlurmMetricsAbsent"})
FIRED = CAPACITY | FAULTS | LONG | WITHOUT_DRIVER | WITHOUT_SLURM | SILENCE
"""Every alert that this scenario makes fire."""

_CAPACITY_S = 120
_QUIET_S = 20.0
_CLEAR_S = 120.0
_EXPORTER = "clusterwright-metrics.service"
_SLURM_CONF = "/etc/slurm/slurm.conf"
_WRONG_LINE = "NotAKey=1"
_JOURNAL = "/var/lib/clusterwright/journal.json"
_INTERRUPTED_S = 6
_INFINIBAND = "/sys/class/infiniband"
_GROWING = (
    "unresponsive_remote_events", "impaired_remote_conn_events", "rx_drops",
    "retrans_timeout_events", "cmds_err", "reg_mr_err", "rdma_read_wr_err", "rdma_write_wr_err",
)  # fmt: skip
"""Counters of EFA that count faults."""
_ACCEPTED_GBS, _MEASURED_GBS = 400.0, 200.0
"""Bus bandwidth of all-reduces, of acceptance and of the job."""


def run(context: ScenarioContext) -> None:
    if context.cluster.observability.metrics.listen != "private":
        context.skip("Prometheus can scrape nodes with observability.metrics.listen: private only")
    faults.require_devices(context, "nvidia")
    for node in context.compute:
        if not faults.expected_hardware(node)["efa_count"]:
            context.skip(f"it requires EFA, and {node} has none")
    missing = programs.missing()
    if missing:
        context.cannot_determine(f"{', '.join(missing)} not installed ({programs.INSTALL})")
    ends = dt.datetime.now(dt.UTC) + dt.timedelta(seconds=_CAPACITY_S)
    with (
        monitored(context, ends) as scene,
        measurements.accepted_bandwidth(context.controller, scene.second, _ACCEPTED_GBS),
    ):
        try:
            _fire(scene)
        finally:
            _repair(scene)
        _clear(scene)


def _fire(scene: Scene) -> None:
    context = scene.context
    with context.promise("quiet"):
        _quiet(scene)
    with context.promise("fires"):
        # Ages and windows begin early; the alerts of the next stage wait for them.
        scene.training.set_pace("slowing")
        _interrupt_program(scene)
        _first_faults(scene)
        scene.wait_fired(FAULTS | CAPACITY)
        scene.ask_panels()
        faults.remove(scene.first, "gpu-busy")
        faults.add(scene.first, "dcgm")
        faults.add(scene.second, "gpu-lost", "0")
        scene.wait_fired(LONG)
        scene.training.set_pace("none")
        faults.add(scene.second, "gpu-driver")
        _count_on_efa(scene.second, "tx_bytes", "retrans_bytes")
        scene.wait_fired(WITHOUT_DRIVER)
        scene.training.hide_output()
        scene.wait_for_data("training_log_readable == 0")
        scene.ask_panels()
        _break_slurm(context)
        scene.wait_fired(WITHOUT_SLURM)
        _exporters(context, "stop")
        scene.wait_fired(SILENCE)
    with context.promise("panels"):
        _judge_panels(scene)


def _quiet(scene: Scene) -> None:
    context, monitoring = scene.context, scene.monitoring
    nodes = len(context.nodes())

    def not_scraped() -> str | None:
        up = monitoring.query("count(up == 1)")
        count = int(float(up[0]["value"][1])) if up else 0
        return None if count == nodes else f"{count} of {nodes} nodes answer Prometheus"

    context.wait_for(not_scraped, within_s=30)
    allowed = CAPACITY | {"GpusIdle"} | not_shown.OF_HOST
    time.sleep(_QUIET_S)
    context.expect(not monitoring.unhealthy_rules(), "; ".join(monitoring.unhealthy_rules()))
    loud = monitoring.fired() - allowed
    context.expect(not loud, f"on a healthy cluster: {', '.join(sorted(loud))}")
    context.expect(monitoring.fired() >= CAPACITY, f"fired: {sorted(monitoring.fired())}")
    scene.ask_panels()


def _interrupt_program(scene: Scene) -> None:
    """Kill the node program inside a step: that of Lustre waits for a mount that is gone."""
    context, login = scene.context, scene.login
    paths = [entry.mount_path for entry in context.cluster.storage.lustre]
    context.expect(paths, "no file system whose mount could be missing")
    for path in paths:
        login.must(f"umount --lazy {path}")
    login.run(f"timeout --signal=KILL {_INTERRUPTED_S} bash -c {shlex.quote(context.program)}")
    for path in paths:
        login.must(f"mount {path}")
    step = json.loads(login.must(f"cat {_JOURNAL}"))["step"]
    context.expect(step is not None, "the node program was not killed inside a step")


def _count_on_efa(node: Node, *counters: str) -> None:
    device = node.must(f"ls {_INFINIBAND}").split()[0]
    for counter in counters:
        node.must(f"echo 7 >{_INFINIBAND}/{device}/ports/1/hw_counters/{counter}")


def _first_faults(scene: Scene) -> None:
    first, second = scene.first, scene.second
    faults.add(first, "gpu-busy", "0")
    first.must("systemctl stop chrony")
    for fault in ("gpu-ecc", "gpu-rows", "gpu-rows-failed", "gpu-hot"):
        faults.add(second, fault, "0")
    faults.add(second, "nvlink-errors", "0:0")
    faults.kernel_message(
        second,
        "NVRM: Xid (PCI:0000:53:00): 79, pid=1234, name=python, GPU has fallen off the bus.",
    )
    device = second.must(f"ls {_INFINIBAND}").split()[0]
    second.must(f"echo '1: DOWN' >{_INFINIBAND}/{device}/ports/1/state")
    _count_on_efa(second, *_GROWING)
    second.must("mount -o remount,bind,ro /opt/dlami/nvme")
    for path in (entry.mount_path for entry in scene.context.cluster.storage.lustre):
        second.must(f"umount --lazy {path}")
    measurements.write_nccl(second, scene.training.job.id, _MEASURED_GBS)
    measurements.write_gpu_jobs((first, second), scene.training.job.id)
    faults.check_health(first, second)


def _break_slurm(context: ScenarioContext) -> None:
    """Stop slurmctld with a wrong slurm.conf, which also makes its commands fail at once.

    With a right one they try for seconds, longer than the shortened interval of scrapes.
    """
    context.controller.must(f"echo '{_WRONG_LINE}' >>{_SLURM_CONF}; systemctl stop slurmctld")


def _exporters(context: ScenarioContext, action: str) -> None:
    nodes = context.nodes()
    with ThreadPoolExecutor(len(nodes)) as pool:
        list(pool.map(lambda node: node.must(f"systemctl {action} {_EXPORTER}"), nodes))


def _judge_panels(scene: Scene) -> None:
    context = scene.context
    known = metrics()
    without, listed, of_hardware = [], set(not_shown.PANELS), 0
    for panel, expressions in scene.unanswered.items():
        for expression in expressions:
            if any(known[use.metric].hardware_only for use in uses(expression)):
                of_hardware += 1
            elif panel not in not_shown.PANELS:
                without.append(f"{panel}: {expression}")
        if expressions:
            listed.discard(panel)
    context.expect(not without, f"no data, and on no list: {'; '.join(sorted(without))}")
    panels = {query.panel for query in scene.queries}
    answered = sorted(listed & panels)
    context.expect(not answered, f"listed as without data: {', '.join(answered)}")
    emulated = sorted(
        name
        for name in scene.monitoring.metric_names()
        if name in known and known[name].hardware_only
    )
    context.expect(not emulated, f"hardware_only, but has samples: {', '.join(emulated)}")
    total = len(scene.queries)
    context.note(f"{total} queries of {len(panels)} panels, {of_hardware} of hardware only")


def _repair(scene: Scene) -> None:
    context = scene.context
    _exporters(context, "start")
    context.controller.must(
        f"sed --in-place --follow-symlinks '/^{_WRONG_LINE}$/d' {_SLURM_CONF}"
        " && systemctl start slurmctld"
    )
    scene.training.end()
    measurements.remove((scene.first, scene.second), scene.training.job.id)
    scene.first.must("systemctl start chrony")
    faults.remove(scene.first)
    # The port, the counters, the mounts and the kernel log are as before after a boot.
    faults.reboot_and_wait(context, scene.second)
    program = scene.login.run_program()
    context.expect(program.exit_code == 0, f"exit code {program.exit_code}: {program.last_line}")
    faults.restore(context, scene.first, scene.second)


def _clear(scene: Scene) -> None:
    context, monitoring = scene.context, scene.monitoring
    with context.promise("clears"):
        # Idle GPUs stay idle until a job uses them.
        faults.add(scene.first, "gpu-busy", "0")
        faults.add(scene.second, "gpu-busy", "0")

        def firing() -> str | None:
            left = FIRED & monitoring.firing()
            return f"still firing: {', '.join(sorted(left))}" if left else None

        seconds = context.wait_for(firing, within_s=_CLEAR_S)
        context.note(f"{len(FIRED)} alerts, {seconds:.0f} s after the repair")
    with context.promise("routed"):
        _judge_routes(scene)


def _judge_routes(scene: Scene) -> None:
    context, receiver = scene.context, scene.monitoring.receiver

    def missing() -> str | None:
        arrived = {(each.name, each.status) for each in receiver.notified()}
        lacking = [
            f"{name} {status}"
            for name in sorted(FIRED)
            for status in ("firing", "resolved")
            if (name, status) not in arrived
        ]
        return f"not received: {', '.join(lacking)}" if lacking else None

    context.wait_for(missing, within_s=60)
    astray = [
        f"{each.name} at {each.receiver}"
        for each in receiver.notified()
        if {each.receiver, each.severity} != {scene.severities[each.name]}
    ]
    context.expect(not astray, f"wrong receiver: {', '.join(sorted(astray))}")
    for severity in sorted(set(scene.severities.values())):
        names = {each.name for each in receiver.notified() if each.receiver == severity}
        context.note(f"{severity}: {len(names)} alerts")
