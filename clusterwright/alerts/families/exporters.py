"""The exporters themselves: a source or a whole exporter that does not answer."""

from __future__ import annotations

from typing import Final

from clusterwright.alerts.alert import Alert

_DIAGNOSE: Final = "clusterwright diagnose @FILE@ node {{ $labels.node }}"

ALERTS: Final = (
    Alert(
        name="ExporterSourceFails",
        severity="warning",
        for_minutes=10,
        threshold="a source of the exporter does not answer",
        reason="Its metrics are missing, and alerts on them cannot fire. A driver that hangs is "
        "seen here first.",
        summary="The source {{ $labels.source }} on {{ $labels.node }} does not answer",
        expression="max by (cluster, group, node, source) ("
        'clusterwright_source_up{cluster="@CLUSTER@",source!="slurm"}) == 0',
        needs=("exporter",),
        without_data="NodeSilent",
        commands=(_DIAGNOSE,),
        steps=(
            "`journalctl --unit clusterwright-metrics` on the node has the error of each source.",
            "`nvidia`: see GpuMetricsAbsent. `lustre`: see LustreMountMissing.",
        ),
    ),
    Alert(
        name="ExporterDown",
        severity="warning",
        for_minutes=5,
        threshold="the exporter of a node cannot be scraped",
        reason="The node's metrics are missing, and alerts on them cannot fire.",
        summary="The exporter on {{ $labels.node }} cannot be scraped",
        expression="max by (cluster, group, node) ("
        'up{cluster="@CLUSTER@",job=~"clusterwright|nodes"}) == 0',
        needs=("exporter",),
        without_data="NodeSilent",
        commands=(_DIAGNOSE,),
        steps=(
            "`systemctl status clusterwright-metrics` on the node; on Kubernetes the DaemonSet "
            "`node-exporter` in `clusterwright-metrics`.",
            "The port is `observability.metrics.port`; another program may use it.",
        ),
    ),
)
