"""Kubernetes as AWS's collector sees it: the API server and containers."""

from __future__ import annotations

from typing import Final

from clusterwright.alerts.alert import Alert

ALERTS: Final = (
    Alert(
        name="ApiServerFails",
        severity="warning",
        for_minutes=10,
        threshold="> 5 % of requests to the API server fail with 5xx",
        reason="Pods are not scheduled and operators do not act.",
        summary="{{ $value | humanizePercentage }} of requests to the API server of @CLUSTER@ "
        "fail",
        expression="sum by (cluster) (rate("
        'apiserver_request_total{cluster="@CLUSTER@",code=~"5.."}[@RATE@]))'
        " / sum by (cluster) (rate("
        'apiserver_request_total{cluster="@CLUSTER@"}[@RATE@])) > 0.05',
        needs=("collector",),
        without_data="ApiServerMetricsAbsent",
        commands=("clusterwright status @FILE@",),
        steps=(
            "A webhook that does not answer is the usual cause: `kubectl get "
            "validatingwebhookconfigurations,mutatingwebhookconfigurations`.",
            "The logs of the control plane are in CloudWatch Logs.",
        ),
    ),
    Alert(
        name="ApiServerMetricsAbsent",
        severity="critical",
        for_minutes=10,
        threshold="no sample of the API server",
        reason="The collector does not work: no alert on the cluster can fire.",
        summary="There are no samples of the API server of @CLUSTER@",
        expression='absent(apiserver_request_total{cluster="@CLUSTER@"})',
        needs=("collector",),
        commands=("clusterwright status @FILE@",),
        steps=(
            "`aws amp list-scrapers` shows the collector's status.",
            "Its access entry in EKS, or the security groups of its subnets, have changed.",
        ),
    ),
    Alert(
        name="ContainerOutOfMemory",
        severity="warning",
        for_minutes=0,
        threshold="a container was killed because it had no memory",
        reason="The rank of a job ended; the others wait for it until a timeout.",
        summary="A container of {{ $labels.pod }} ({{ $labels.namespace }}) ran out of memory",
        expression="max by (cluster, node, namespace, pod) (increase("
        'container_oom_events_total{cluster="@CLUSTER@"}[@RATE@])) > 0',
        needs=("collector",),
        without_data="ApiServerMetricsAbsent",
        idle="every node of the job",
        commands=("clusterwright status @FILE@",),
        steps=(
            "`kubectl describe pod` shows the limit. Workers of data loaders and pinned memory "
            "count.",
            "Raise the memory request of the job, or reduce the number of workers.",
        ),
    ),
)
