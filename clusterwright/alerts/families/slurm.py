"""Slurm: its controller, its scheduler, its accounting, and nodes that do not work."""

from __future__ import annotations

from typing import Final

from clusterwright.alerts.alert import Alert

_STATUS: Final = "clusterwright status @FILE@"

ALERTS: Final = (
    Alert(
        name="SlurmctldDown",
        severity="critical",
        for_minutes=3,
        threshold="sinfo, squeue or sdiag fail on the controller (AWS PCS: on the first login "
        "node)",
        reason="No job starts or ends; running jobs continue until they need the controller.",
        summary="slurmctld does not answer {{ $labels.node }}",
        expression="max by (cluster, node) ("
        'clusterwright_source_up{cluster="@CLUSTER@",source="slurm"}) == 0',
        needs=("exporter", "slurm"),
        without_data="SlurmMetricsAbsent",
        idle="every node without a running job",
        commands=("clusterwright diagnose @FILE@", _STATUS),
        steps=(
            "`systemctl status slurmctld` on the controller, and the end of its log.",
            "A wrong slurm.conf stops it: `slurmctld -D -vv` names the line. A full disk or a "
            "damaged StateSaveLocation is the next suspect.",
            "On AWS PCS the controller is AWS's: `diagnose` shows PCS's state of the cluster and "
            "its errors.",
        ),
    ),
    Alert(
        name="SlurmMetricsAbsent",
        severity="critical",
        for_minutes=10,
        threshold="no sample of slurmctld's statistics",
        reason="No alert on Slurm can fire; the controller may be down.",
        summary="There are no samples of Slurm on @CLUSTER@",
        expression='absent(slurm_scheduler_threads{cluster="@CLUSTER@"})',
        needs=("exporter", "slurm"),
        idle="every node without a running job",
        commands=(_STATUS,),
        steps=(
            "NodeSilent or SlurmctldDown fire too: treat those first.",
            "Else `clusterwright-metrics.service` on the controller (AWS PCS: on the first login "
            "node) does not run as it should.",
        ),
    ),
    Alert(
        name="BackfillSlow",
        severity="warning",
        for_minutes=10,
        threshold="a cycle of the backfill scheduler > 30 s",
        reason="Jobs wait although nodes are free, and commands of users time out.",
        summary='The backfill cycle takes {{ $value | printf "%.0f" }} s',
        expression="max by (cluster) (slurm_scheduler_last_cycle_seconds{"
        'cluster="@CLUSTER@",scheduler="backfill"}) > 30',
        needs=("exporter", "slurm"),
        without_data="SlurmMetricsAbsent",
        commands=("clusterwright diagnose @FILE@",),
        steps=(
            "`sdiag` shows the depth and the number of jobs tried. Reduce `bf_max_job_test` and "
            "`bf_max_job_user` in SchedulerParameters.",
            "Thousands of jobs of one user: job arrays instead.",
        ),
    ),
    Alert(
        name="AccountingQueueGrows",
        severity="warning",
        for_minutes=15,
        threshold="> 1,000 messages for slurmdbd, and growing for 30 minutes",
        reason="slurmdbd or its database does not answer. At MaxDBDMsgs slurmctld discards "
        "accounting records, or stops to accept jobs (slurm.conf(5)).",
        summary='{{ $value | printf "%.0f" }} messages wait for slurmdbd',
        expression='max by (cluster) (slurm_scheduler_dbd_queue_size{cluster="@CLUSTER@"}) > 1000'
        " and on (cluster) max by (cluster) (deriv("
        'slurm_scheduler_dbd_queue_size{cluster="@CLUSTER@"}[30m])) > 0',
        needs=("exporter", "slurm"),
        without_data="SlurmMetricsAbsent",
        commands=("clusterwright diagnose @FILE@",),
        steps=(
            "`systemctl status slurmdbd`, and whether its database answers. The alarm "
            "`accounting-nearly-full` of CloudWatch covers its disk.",
            "When it answers again the queue empties by itself.",
        ),
    ),
    Alert(
        name="NodesDrained",
        severity="warning",
        for_minutes=30,
        threshold="drained or draining nodes for 30 minutes",
        reason="Nobody looked at them, and they are paid for.",
        summary='{{ $value | printf "%.0f" }} nodes of partition {{ $labels.partition }} are '
        "drained",
        expression="sum by (cluster, partition) ("
        'slurm_nodes{cluster="@CLUSTER@",state=~"drain.*"}) > 0',
        needs=("exporter", "slurm"),
        without_data="SlurmMetricsAbsent",
        idle="the drained nodes",
        commands=(_STATUS,),
        steps=(
            "`status` shows each node's reason. Reasons that begin `clusterwright:` are of the "
            "health check and end by themselves when it passes.",
            "`clusterwright node resume` when the cause is gone, `clusterwright node replace` "
            "when it is not.",
        ),
    ),
    Alert(
        name="PartitionDegraded",
        severity="critical",
        for_minutes=5,
        threshold="> 5 % of a partition's nodes down, drained or failed",
        reason="The largest jobs no longer fit: they wait until nodes come back.",
        summary="{{ $value | humanizePercentage }} of partition {{ $labels.partition }} does not "
        "work",
        expression="sum by (cluster, partition) ("
        'slurm_nodes{cluster="@CLUSTER@",state=~"down.*|drain.*|fail.*|error.*"})'
        " / sum by (cluster, partition) ("
        'slurm_nodes{cluster="@CLUSTER@"}) > 0.05',
        needs=("exporter", "slurm"),
        without_data="SlurmMetricsAbsent",
        idle="these nodes, and those of jobs that wait for them",
        commands=(_STATUS, "clusterwright diagnose @FILE@"),
        steps=(
            "Many nodes at once have one cause: a file system, the network, an update. "
            "`diagnose` looks for it.",
            "`status` shows whether spares are free; `clusterwright node replace` uses them.",
        ),
    ),
)
