"""EFA: ports, peers that do not answer, jobs without traffic, and slow collectives."""

from __future__ import annotations

from typing import Final

from clusterwright.alerts.alert import Alert

_SHAPE: Final = "n_nodes, nranks, size_mib"
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
    Alert(
        name="NcclBandwidthBelowAccepted",
        severity="warning",
        for_minutes=10,
        threshold="an all-reduce of a job has less than 0.7 of the bus bandwidth that the cluster "
        "was accepted with, for the same number of nodes and ranks and at least the same size",
        reason="Every step of the job waits for a slow path. The fastest rank is compared, which "
        "waits for no other: late ranks alone do not fire it.",
        summary="All-reduces of job {{ $labels.job_id }} over {{ $labels.n_nodes }} nodes have "
        "{{ $value | humanizePercentage }} of the accepted bandwidth",
        expression=f"max by (cluster, job_id, {_SHAPE}) ("
        'nccl_bus_bandwidth_gbs{cluster="@CLUSTER@",group="@GROUP@",collective="AllReduce"})'
        f" / on (cluster, {_SHAPE}) group_left max by (cluster, {_SHAPE}) ("
        "clusterwright_accepted_bus_bandwidth_gbs"
        '{cluster="@CLUSTER@",instance_type="@TYPE@"}) < 0.7',
        needs=("exporter", "slurm", "dcgm", "efa"),
        scope="group",
        without_data="none",
        reason_without_data="Not every job loads NCCL Inspector or communicates over whole nodes, "
        "and before the first acceptance with a test of several nodes nothing is accepted. If the "
        "exporter does not answer, SlurmMetricsAbsent and NodeSilent fire.",
        commands=(
            "clusterwright diagnose @FILE@ job {{ $labels.job_id }}",
            "clusterwright status @FILE@",
        ),
        steps=(
            "The dashboard of the network shows whether one node differs: retransmissions or "
            "errors of its EFA interfaces, NVLink, a GPU that heat throttles.",
            "Other jobs on the same network, and computation that runs beside the collective, "
            "take bandwidth too: compare with the job's first hours.",
            "After the job, `clusterwright accept FILE --nodes NODE,... --level standard` tests "
            "its nodes in pairs and names the slow one. A run over as many nodes that does not "
            "fail sets the accepted figure anew.",
        ),
    ),
)
