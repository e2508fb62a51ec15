"""Every node exports its metrics to Prometheus.

The controller, on PCS the first login node, reads them, like a Prometheus server in the cluster.
Whether the CloudWatch agent of the image forwards them is not rehearsed: emulated nodes have no
such agent.
"""

from __future__ import annotations

import re
import time

from clusterwright_rehearsal.nodes.hardware import hardware_of
from clusterwright_rehearsal.scenario_api import faults
from clusterwright_rehearsal.scenario_api.context import ScenarioContext
from clusterwright_rehearsal.scenario_api.jobs import options_for
from clusterwright_rehearsal.scenario_api.metrics import Samples, scrape
from clusterwright_rehearsal.scenario_api.node import Node

ORDER = 40
SECONDS = 15
MODES = ("managed", "scripted", "parallelcluster", "pcs")

PROMISES = {
    "answers": "every node's exporter answers, with every metrics source of the node",
    "devices": "each node exports the number of accelerators and EFA interfaces of its type",
    "slurm": "the controller exports the idle nodes of every partition, and their accelerators",
    "slurmctld": "the controller exports slurmctld's own metrics if the spec says so and this"
    " Slurm has them (25.11), and none otherwise",
    "jobs": "while a job holds GPUs, its node exports the job of each, and what the job writes in"
    " the form of NCCL Inspector",
    "hangs": "while a driver hangs, the node still exports the other metrics in time, and reports"
    " it",
}

_KEPT_S = 1.5
"""Exporters cache their answer for one second."""
_INSPECTED = """
folder=/var/lib/clusterwright/nccl-inspector/$SLURM_JOB_ID
cat >"$folder/nccl_inspector_metrics_GPU-1.prom" <<'END'
nccl_bus_bandwidth_gbs{collective="AllReduce",n_nodes="1",nranks="8",message_size="1-2GB"} 371.5
END
sleep 120
"""
"""A job that writes what NCCL Inspector would, as its user."""


def run(context: ScenarioContext) -> None:
    if context.cluster.observability.metrics.listen == "off":
        context.skip("the spec has observability.metrics.listen: off")
    found: dict[str, Samples] = {}
    with context.promise("answers"):
        slowest = 0.0
        for node in context.nodes():
            found[node.name], seconds = scrape(context, node)
            slowest = max(slowest, seconds)
            down = _sources(found[node.name], 0.0)
            context.expect(not down, f"{node}: no answer from {', '.join(down)}")
            context.expect(_sources(found[node.name], 1.0), f"{node} exports no source")
        count = sum(len(samples) for samples in found.values())
        context.note(f"{count} samples of {len(found)} nodes, slowest in {slowest:.2f} s")

    with context.promise("devices"):
        for node in context.compute:
            samples = found[node.name]
            wanted = hardware_of(context.facts(node.name)["instance_type"])
            name = {"nvidia": "gpu_count", "neuron": "neuron_device_count"}.get(wanted.kind)
            for metric, count in (
                *([(name, wanted.accelerator_count)] if name else ()),
                *([("efa_device_count", wanted.efa_interfaces)] if wanted.efa_interfaces else ()),
            ):
                shown = samples.get(metric)
                context.expect(shown == count, f"{node}: {metric} is {shown}, not {count}")
                context.note(f"{node}: {metric} {count}")

    with context.promise("slurm"):
        context.wait_for(lambda: _not_idle(context), within_s=30)

    with context.promise("slurmctld"):
        _own_metrics_of_slurm(context)

    with context.promise("jobs"):
        _job_of_gpus(context)

    with context.promise("hangs"):
        _hang(context)


def _nvidia(context: ScenarioContext) -> list[Node]:
    return [
        node
        for node in context.compute
        if hardware_of(context.facts(node.name)["instance_type"]).kind == "nvidia"
    ]


def _own_metrics_of_slurm(context: ScenarioContext) -> None:
    said = context.slurm("scontrol --version")
    version = tuple(int(part) for part in re.findall(r"\d+", said)[:2])
    wanted = context.cluster.observability.metrics.slurm_openmetrics and version >= (25, 11)
    samples, _ = scrape(context, context.controller)
    found = sorted(name for name in samples if name.startswith(("slurm_bf_", "slurm_nodes_idle")))
    context.expect(bool(found) == wanted, f"with {said.strip()}: {found or 'no metrics of it'}")
    if wanted:
        # slurm_nodes_idle also counts nodes without a partition, such as login nodes of PCS.
        idle = sum(
            value
            for name, value in samples.items()
            if name.startswith("slurm_partition_nodes_idle{")
        )
        known = context.slurm("sinfo -h -N -o '%R %N %T'").split("\n")
        wanted_idle = sum(line.endswith(" idle") for line in known)
        context.expect(idle == wanted_idle, f"slurm_partition_nodes_idle: {idle} of {wanted_idle}")
    context.note(f"{said.strip()}: {len(found)} of its metrics")


def _job_of_gpus(context: ScenarioContext) -> None:
    nvidia = _nvidia(context)
    if not nvidia:
        context.note("no GPU that a job could hold")
        return
    node = nvidia[0]
    if context.cluster.on_hyperpod and context.cluster.slurm.configuration == "managed":
        context.note("a timer runs the health checks: Slurm has no prolog of Clusterwright")
        return
    job = context.submit(_INSPECTED, options=options_for(context, node, "--exclusive"))
    job.wait("RUNNING", within_s=60)

    def wrong(jobs: int) -> str | None:
        samples, _ = scrape(context, node)
        held, written = (
            sum(name.startswith(metric + "{") and f'job_id="{job.id}"' in name for name in samples)
            for metric in ("gpu_job_info", "nccl_bus_bandwidth_gbs")
        )
        if (held, written) == (jobs * int(samples["gpu_count"]), jobs):
            return None
        return f"{node}: {held} GPUs of job {job.id} and {written} figures of NCCL are exported"

    try:
        context.wait_for(lambda: wrong(1), within_s=30)
    finally:
        context.slurm(f"scancel {job.id}")
    # After the epilog.
    context.wait_for(lambda: wrong(0), within_s=60)
    context.note(f"job {job.id} on {node}")


def _hang(context: ScenarioContext) -> None:
    nvidia = _nvidia(context)
    if not nvidia:
        context.note("no GPU whose driver could hang")
        return
    node = nvidia[-1]
    # Its own health check would drain it meanwhile.
    with faults.health_checks_stopped(node):
        try:
            faults.add(node, "gpu-hang")
            time.sleep(_KEPT_S)
            samples, seconds = scrape(context, node)
        finally:
            faults.remove(node, "gpu-hang")
    context.expect(
        _sources(samples, 0.0) == ["nvidia"],
        f"sources without an answer: {_sources(samples, 0.0)}",
    )
    context.expect("node_load1" in samples, "the load is not exported")
    context.note(f"answered in {seconds:.1f} s")
    context.wait_for(
        lambda: (
            "the source still does not answer" if _sources(scrape(context, node)[0], 0.0) else None
        ),
        within_s=20,
    )


def _sources(samples: Samples, up: float) -> list[str]:
    """The sources with a value of clusterwright_source_up: 1 answered, 0 did not."""
    pattern = re.compile(r'^clusterwright_source_up\{source="(\w+)"\}$')
    matches = ((pattern.match(name), value) for name, value in samples.items())
    return sorted(match.group(1) for match, value in matches if match and value == up)


def _not_idle(context: ScenarioContext) -> str | None:
    samples, _ = scrape(context, context.controller)
    idle = sum(
        value
        for name, value in samples.items()
        if name.startswith("slurm_nodes{") and 'state="idle"' in name
    )
    if idle != len(context.compute):
        return f"{idle:.0f} idle nodes are exported, not {len(context.compute)}"
    wanted: dict[str, int] = {}
    for node in context.compute:
        hardware = hardware_of(context.facts(node.name)["instance_type"])
        name = {"nvidia": "gpu", "neuron": "neuron"}.get(hardware.kind)
        if name:
            wanted[name] = wanted.get(name, 0) + hardware.accelerator_count
    for name, count in wanted.items():
        shown = samples.get(f'slurm_devices{{resource="{name}"}}')
        if shown != count:
            return f"{shown} {name} are exported, not {count}"
    context.note(f"{idle:.0f} idle nodes, {wanted or 'no accelerators'}")
    return None
