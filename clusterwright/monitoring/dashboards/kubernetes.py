"""Kubernetes: queues, containers, and the API server."""

from __future__ import annotations

from clusterwright.monitoring.facts import Facts
from clusterwright.monitoring.panels import Dashboard, Panel, Query, Row
from clusterwright.monitoring.selectors import on_cluster, rate

_PODS = ('namespace=~"$namespace"', 'pod=~"$pod"')
_CONTAINER = (*_PODS, 'container!=""')
_POD = "{{namespace}}/{{pod}}"


def dashboard(facts: Facts) -> Dashboard:
    """Queues, and containers of the selected pods."""
    return Dashboard(
        name="kubernetes",
        title="Kubernetes",
        description="Queues of the Kueue that Clusterwright installs, containers by pod, and the"
        " API server.",
        variables=("namespace", "pod"),
        rows=(_queues(), _containers(), _control_plane()),
    )


def _queues() -> Row:
    waiting = on_cluster("kueue_pending_workloads")
    stopped = on_cluster("kueue_cluster_queue_status", 'status!="active"')
    used = on_cluster("kueue_cluster_queue_resource_usage")
    quota = on_cluster("kueue_cluster_queue_nominal_quota")
    evicted = on_cluster("kueue_evicted_workloads_total")
    # Of several replicas of Kueue's controller one leads.
    return Row(
        "Queues",
        (
            Panel("Workloads that wait", "By queue. Those that are inadmissible were tried, and"
                  " wait until something changes.", "short",
                  (Query(f"max by (cluster_queue, status) ({waiting})",
                         "{{cluster_queue}} {{status}}"),), stacked=True),
            Panel("Workloads that run", "Admitted and not finished, by queue.", "short",
                  (Query("max by (cluster_queue) ("
                         f"{on_cluster('kueue_admitted_active_workloads')})",
                         "{{cluster_queue}}"),), stacked=True),
            Panel("Quota in use", "Share of a queue's own quota that its workloads use; more than"
                  " 100 % is borrowed from other queues.", "percentunit",
                  (Query("sum by (cluster_queue, resource) ("
                         f"max by (cluster_queue, flavor, resource) ({used}))"
                         " / (sum by (cluster_queue, resource) ("
                         f"max by (cluster_queue, flavor, resource) ({quota})) > 0)",
                         "{{cluster_queue}} {{resource}}"),)),
            Panel("Queues that admit nothing", "1 while a queue is stopped, or lacks a flavour or"
                  " a check that it names.", "short",
                  (Query(f"max by (cluster_queue) ({stopped})", "{{cluster_queue}}"),),
                  alarm_at=1),
            Panel("Evicted workloads", "By queue and reason, such as Preempted.", "short",
                  (Query(f"sum by (cluster_queue, reason) (increase({evicted}[$__rate_interval]))",
                         "{{cluster_queue}} {{reason}}"),), stacked=True),
        ),
    )  # fmt: skip


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
