"""EFA: ports, peers that do not answer, and jobs without traffic."""

from __future__ import annotations

from typing import Final

from clusterwright.alerts.alert import Alert

_DIAGNOSE: Final = "clusterwright diagnose @FILE@ node {{ $labels.node }}"

ALERTS: Final = (
    Alert(
        name="EfaPortDown",
        severity="critical",
        for_minutes=2,
        threshold="a port of an EFA interface is not ACTIVE",
        reason="Jobs on the node fail to start or lose bandwidth.",
        summary="EFA interface {{ $labels.device }} of {{ $labels.node }} is down",
        expression="min by (cluster, group, node, device) ("
        'efa_port_active{cluster="@CLUSTER@"}) == 0',
        needs=("exporter", "efa"),
        without_data="NodeSilent",
        idle="the node",
        commands=(_DIAGNOSE,),
        steps=(
            "`fi_info --provider efa` on the node lists the interfaces that work.",
            "Reboot the node; replace it if the port stays down.",
        ),
    ),
    Alert(
        name="EfaRemoteUnresponsive",
        severity="warning",
        for_minutes=0,
        threshold="the counter of unresponsive remote peers grows",
        reason="A peer died or is not reachable: its job waits, and ends with a timeout.",
        summary="A peer of {{ $labels.node }} does not respond over EFA",
        expression="max by (cluster, group, node) (increase("
        'efa_unresponsive_remote_events_total{cluster="@CLUSTER@"}[@RATE@])) > 0',
        needs=("exporter", "efa"),
        without_data="NodeSilent",
        idle="every node of the job",
        commands=("clusterwright diagnose @FILE@", _DIAGNOSE),
        steps=(
            "Many nodes report it at once: the node that does not is the one that died. Look for "
            "NodeSilent and XidNeedsAction.",
            "One node reports it alone: its own interface is suspect; run `clusterwright accept "
            "FILE --nodes NODE`.",
        ),
    ),
    Alert(
        name="EfaIdleWhileJobsRun",
        severity="critical",
        for_minutes=15,
        threshold="no byte over EFA for 15 minutes while a job with several nodes runs",
        reason="The job hangs, or NCCL fell back to TCP and is many times slower.",
        summary="Jobs with several nodes run on @CLUSTER@, and EFA carries nothing",
        expression="sum by (cluster) (rate("
        'efa_tx_bytes_total{cluster="@CLUSTER@",group=~"@EFA@"}[@RATE@])) == 0'
        ' and on (cluster) sum by (cluster) (slurm_jobs_multi_node{cluster="@CLUSTER@"}) > 0',
        needs=("exporter", "slurm", "efa"),
        without_data="SlurmMetricsAbsent",
        idle="every node of the job",
        commands=("clusterwright diagnose @FILE@", "clusterwright status @FILE@"),
        steps=(
            "`clusterwright diagnose FILE job ID` reads the log: `NET/OFI` names the provider "
            "that NCCL uses, `NET/Socket` means TCP.",
            "`clusterwright check-job FILE JOBFILE` finds settings that turn EFA off.",
        ),
    ),
)
