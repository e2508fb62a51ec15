"""Kubernetes: containers, and the API server."""

from __future__ import annotations

from clusterwright.monitoring.facts import Facts
from clusterwright.monitoring.panels import Dashboard, Panel, Query, Row
from clusterwright.monitoring.selectors import on_cluster, rate

_PODS = ('namespace=~"$namespace"', 'pod=~"$pod"')
_CONTAINER = (*_PODS, 'container!=""')
_POD = "{{namespace}}/{{pod}}"


def dashboard(facts: Facts) -> Dashboard:
    """Containers of the selected pods."""
    return Dashboard(
        name="kubernetes",
        title="Kubernetes",
        description="Containers by pod, and the API server. Kueue's queues are not exported:"
        " `kubectl get clusterqueues` shows them.",
        variables=("namespace", "pod"),
        rows=(_containers(), _control_plane()),
    )


def _by_pod(selector: str, legend: str = _POD) -> Query:
    return Query(f"sum by (namespace, pod) ({selector})", legend)


def _containers() -> Row:
    def pods(metric: str) -> str:
        return rate(on_cluster(metric, *_PODS))

    return Row(
        "Pods",
        (
            Panel("Processors", "Processors in use: 1 is one processor.", "short",
                  (_by_pod(rate(on_cluster("container_cpu_usage_seconds_total", *_CONTAINER))),)),
            Panel("Memory", "Working set: what counts for the limit.", "bytes",
                  (_by_pod(on_cluster("container_memory_working_set_bytes", *_CONTAINER)),)),
            Panel("Network", "Bytes per second; EFA's traffic is not in it.", "Bps",
                  (_by_pod(pods("container_network_transmit_bytes_total"), _POD + " sent"),
                   _by_pod(pods("container_network_receive_bytes_total"), _POD + " received"))),
            Panel("Disks", "Bytes per second of containers.", "Bps",
                  (_by_pod(pods("container_fs_reads_bytes_total"), _POD + " read"),
                   _by_pod(pods("container_fs_writes_bytes_total"), _POD + " written"))),
            Panel("Dropped packets", "Packets per second.", "pps",
                  (_by_pod(pods("container_network_receive_packets_dropped_total"),
                           _POD + " received"),
                   _by_pod(pods("container_network_transmit_packets_dropped_total"),
                           _POD + " sent")), warn_at=1),
            Panel("Out of memory", "Containers that the kernel ended because their memory was"
                  " full.", "short",
                  (Query("increase("
                         f"{on_cluster('container_oom_events_total', *_CONTAINER)}"
                         "[$__rate_interval]) > 0", _POD),), alarm_at=1),
        ),
    )  # fmt: skip


def _control_plane() -> Row:
    requests = rate(on_cluster("apiserver_request_total"))
    failed = rate(on_cluster("apiserver_request_total", 'code=~"5.."'))
    return Row(
        "API server",
        (
            Panel("Requests", "Requests per second, by code.", "reqps",
                  (Query(f"sum by (code) ({requests})", "{{code}}"),), stacked=True),
            Panel("Failed requests", "Share of requests with a code of 500 and above.",
                  "percentunit",
                  (Query(f"(sum({failed}) or vector(0)) / sum({requests})", "failed"),),
                  warn_at=0.01, alarm_at=0.05),
            Panel("Requests in progress", "Requests that the API server works on.", "short",
                  (Query("sum by (request_kind) ("
                         f"{on_cluster('apiserver_current_inflight_requests')})",
                         "{{request_kind}}"),)),
        ),
    )  # fmt: skip
