"""The cluster at a glance."""

from __future__ import annotations

from clusterwright.monitoring.facts import Facts
from clusterwright.monitoring.panels import Dashboard, Panel, Query, Row, stat
from clusterwright.monitoring.selectors import on_cluster, on_groups, rate

_NODES = on_groups("node_boot_time_seconds")


def dashboard(facts: Facts) -> Dashboard:
    """Nodes, devices, use and findings of the whole cluster."""
    return Dashboard(
        name="cluster",
        title="Cluster",
        description="Nodes that report, their devices, their use, and what health checks found.",
        variables=("group",),
        rows=(_presence(), _findings(), _use()),
    )


def _presence() -> Row:
    now = f"count(count by (node) ({_NODES}))"
    day = f"count(count by (node) (last_over_time({_NODES}[1d])))"
    return Row(
        "Nodes and devices",
        (
            stat("Nodes that report", "Nodes whose exporter answered the last scrape.", "short",
                 Query(now)),
            stat("Silent nodes",
                 "Nodes that reported within the last 24 hours and do not report now. Nodes that"
                 " were removed are counted for a day.",
                 "short", Query(f"({day}) - ({now})"), warn_at=1),
            stat("Accelerators", "GPUs that nvidia-smi lists, or Neuron devices in /dev.", "short",
                 Query(f"sum({on_groups('gpu_count')})", "GPUs"),
                 Query(f"sum({on_groups('neuron_device_count')})", "Neuron")),
            stat("EFA interfaces that are not active",
                 "Ports whose state is not ACTIVE; NCCL then uses fewer paths, or none.", "short",
                 Query(f"sum(1 - {on_groups('efa_port_active')})"),
                 alarm_at=1),
        ),
    )  # fmt: skip


def _findings() -> Row:
    findings = on_groups("clusterwright_health_findings")
    up = on_groups("clusterwright_source_up")
    unfinished = on_groups("clusterwright_node_program_unfinished")
    return Row(
        "Findings",
        (
            Panel("Findings of health checks",
                  "Findings of the last health check of each node that has any.", "short",
                  (Query(f"{findings} > 0", "{{node}}"),), alarm_at=1),
            Panel("Nodes by state",
                  "As Slurm has them. A node in two partitions is counted in each.", "short",
                  (Query(f"sum by (state) ({on_cluster('slurm_nodes')})", "{{state}}"),),
                  stacked=True),
            Panel("Sources of metrics that fail",
                  "Nodes on which a source of the exporter did not answer, by source: a driver or"
                  " a daemon hangs or is absent.", "short",
                  (Query(f"sum by (source) (1 - {up})", "{{source}}"),), warn_at=1),
            Panel("Unfinished node programs",
                  "Nodes whose last run of the node program ended inside a step.", "short",
                  (Query(f"sum by (group) ({unfinished})", "{{group}}"),), warn_at=1),
        ),
    )  # fmt: skip


def _use() -> Row:
    def by_group(operator: str, selector: str) -> str:
        return f"{operator} by (group) ({selector})"

    idle = rate(on_groups("node_cpu_seconds_total", 'mode="idle"'))
    available = on_groups("node_memory_MemAvailable_bytes")
    total = on_groups("node_memory_MemTotal_bytes")
    full = on_groups("node_filesystem_avail_bytes", 'mountpoint="/"')
    size = on_groups("node_filesystem_size_bytes", 'mountpoint="/"')
    sent = rate(on_groups("efa_tx_bytes_total"))
    return Row(
        "Use",
        (
            Panel("Use of GPUs",
                  "Share of time in which a kernel was running, mean of the group. A kernel that"
                  " waits for other GPUs counts as running.", "percentunit",
                  (Query(by_group("avg", on_groups("gpu_utilization_ratio")),
                         "{{group}}"),), maximum=1),
            Panel("Operations of Neuron cores", "Floating point operations per second.", "ops",
                  (Query(by_group("sum", rate(on_groups("neuron_flops_total"))),
                         "{{group}}"),)),
            Panel("Traffic of EFA", "Bytes sent per second, sum of the group.", "Bps",
                  (Query(by_group("sum", sent), "{{group}}"),)),
            Panel("Use of processors", "Share of time not idle, mean of the group.", "percentunit",
                  (Query(f"1 - {by_group('avg', idle)}", "{{group}}"),), maximum=1),
            Panel("Use of memory", "Share that is not available, mean of the group.",
                  "percentunit", (Query(by_group("avg", f"1 - {available} / {total}"),
                                        "{{group}}"),), maximum=1, warn_at=0.9),
            Panel("Fullest root disk", "Share of the root file system in use, of the fullest node"
                  " of the group.", "percentunit",
                  (Query(by_group("max", f"1 - {full} / {size}"), "{{group}}"),), maximum=1,
                  warn_at=0.8, alarm_at=0.9),
        ),
    )  # fmt: skip
