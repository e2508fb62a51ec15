"""Nodes: samples that stop, disks, memory, clocks, and the programs of Clusterwright."""

from __future__ import annotations

from typing import Final

from clusterwright.alerts.alert import Alert

ALERTS: Final = (
    Alert(
        name="NodeSilent",
        severity="critical",
        for_minutes=0,
        threshold="no sample for 3 minutes (or 3 intervals) while the group has too few nodes",
        reason="The node is down, its network is, or its agent lost the permission to write. Its "
        "job waits in a collective operation until a timeout.",
        summary="{{ $labels.node }} of {{ $labels.group }} sends no samples",
        expression="("
        "count by (cluster, group, node) (present_over_time("
        'node_boot_time_seconds{cluster="@CLUSTER@",group="@GROUP@"}[6h]))'
        " unless"
        " count by (cluster, group, node) (present_over_time("
        'node_boot_time_seconds{cluster="@CLUSTER@",group="@GROUP@"}[@SILENT@]))'
        ") unless on (cluster, group) ("
        "count by (cluster, group) (count by (cluster, group, node) (present_over_time("
        'node_boot_time_seconds{cluster="@CLUSTER@",group="@GROUP@"}[@SILENT@]))) >= @NODES@)',
        needs=("exporter", "fixed"),
        scope="group",
        idle="the node, and every other node of its job",
        commands=(
            "clusterwright diagnose @FILE@ node {{ $labels.node }}",
            "clusterwright status @FILE@",
        ),
        steps=(
            "`status` shows whether the platform and Slurm still have the node. If the platform "
            "replaces it already, wait: HyperPod's recovery takes 20 to 30 minutes.",
            "If platform and scheduler call it healthy, only its metrics are missing: read the "
            "logs of `clusterwright-metrics.service` and of the CloudWatch agent on it.",
            "Else reboot it with `clusterwright node reboot`, and replace it if that does not "
            "help.",
        ),
    ),
    Alert(
        name="ClusterSilent",
        severity="critical",
        for_minutes=5,
        threshold="no sample of any node",
        reason="No other alert on nodes can fire. Metrics of others died silently when "
        "credentials expired (aws-parallelcluster-monitoring, issue 53).",
        summary="No node of @CLUSTER@ sends samples",
        expression='absent(node_boot_time_seconds{cluster="@CLUSTER@"})',
        needs=("exporter",),
        commands=("clusterwright status @FILE@",),
        steps=(
            "`status` shows whether the nodes exist. A cluster that was deleted or scaled to "
            "zero on purpose: remove its rules, or silence the alert.",
            "Nodes exist: the permission to write to the workspace, its endpoint in a closed "
            "network, or its quota of active series has changed. CloudWatch has "
            "`DiscardedSamples` of the workspace.",
        ),
    ),
    Alert(
        name="RootDiskNearlyFull",
        severity="warning",
        for_minutes=10,
        threshold="> 90 % of the root file system used",
        reason="A full root disk ends slurmd, containers and logs.",
        summary="The root disk of {{ $labels.node }} is {{ $value | humanizePercentage }} full",
        expression="max by (cluster, group, node) (1"
        ' - node_filesystem_avail_bytes{cluster="@CLUSTER@",mountpoint="/"}'
        ' / node_filesystem_size_bytes{cluster="@CLUSTER@",mountpoint="/"}) > 0.9',
        needs=("exporter",),
        without_data="NodeSilent",
        commands=("clusterwright diagnose @FILE@ node {{ $labels.node }}",),
        steps=(
            "Find what grows: `sudo du --one-file-system --max-depth=3 / | sort --numeric-sort`. "
            "Container images, core dumps and logs of jobs are the usual causes.",
            "Move images and temporary files to the instance store (`scratch` in the spec).",
        ),
    ),
    Alert(
        name="SharedMemoryLeftOver",
        severity="warning",
        for_minutes=30,
        threshold="> 10 % of memory in shared memory while no GPU works",
        reason="A killed job left segments in /dev/shm; the next job has less memory and may be "
        "killed.",
        summary="{{ $value | humanizePercentage }} of the memory of {{ $labels.node }} is left in "
        "shared memory",
        expression="max by (cluster, group, node) ("
        'node_memory_Shmem_bytes{cluster="@CLUSTER@"}'
        ' / node_memory_MemTotal_bytes{cluster="@CLUSTER@"}) > 0.1'
        " and on (cluster, group, node)"
        ' max by (cluster, group, node) (gpu_utilization_ratio{cluster="@CLUSTER@"}) == 0',
        needs=("exporter", "nvidia"),
        without_data="NodeSilent",
        commands=("clusterwright diagnose @FILE@ node {{ $labels.node }}",),
        steps=(
            "Check that no job runs on the node: `squeue --nodelist=NODE`.",
            "List and remove what is left: `ls -l /dev/shm`. An epilog that removes the files of "
            "the job's user prevents it.",
        ),
    ),
    Alert(
        name="ClockNotSynchronised",
        severity="warning",
        for_minutes=10,
        threshold="the health check reports the clock",
        reason="munge refuses credentials of a node whose clock is wrong: its jobs fail, and "
        "Slurm marks it down.",
        summary="The clock of {{ $labels.node }} is not synchronised",
        expression="max by (cluster, group, node) ("
        'clusterwright_health_findings_by_check{cluster="@CLUSTER@",check="clock"}) > 0',
        needs=("exporter", "health"),
        without_data="NodeSilent",
        commands=("clusterwright diagnose @FILE@ node {{ $labels.node }}",),
        steps=(
            "`chronyc sources` on the node shows whether it reaches 169.254.169.123.",
            "`systemctl restart chronyd` (Debian and Ubuntu: chrony). If that does not help, "
            "replace the node: its host's time service may be broken.",
        ),
    ),
    Alert(
        name="HealthCheckFails",
        severity="warning",
        for_minutes=10,
        threshold="a finding of the node's health check",
        reason="The health check drains the node: it does no work until it passes.",
        summary='The health check of {{ $labels.node }} has {{ $value | printf "%.0f" }} findings',
        expression="max by (cluster, group, node) ("
        'clusterwright_health_findings{cluster="@CLUSTER@"}) > 0',
        needs=("exporter", "health"),
        without_data="NodeSilent",
        idle="the drained node",
        commands=("clusterwright diagnose @FILE@ node {{ $labels.node }}",),
        steps=(
            "`diagnose` shows the findings with their remedies. A finding that heals by itself "
            "brings the node back.",
            "With HyperPod's automatic recovery wait 15 minutes before you reboot or replace it.",
        ),
    ),
    Alert(
        name="NodeProgramUnfinished",
        severity="warning",
        for_minutes=30,
        threshold="a run of the node program ended inside a step",
        reason="The set-up of the node is incomplete; its settings differ from the spec's.",
        summary="The set-up of {{ $labels.node }} did not finish",
        expression="max by (cluster, group, node) ("
        'clusterwright_node_program_unfinished{cluster="@CLUSTER@"}) > 0',
        needs=("exporter", "health"),
        without_data="NodeSilent",
        commands=("clusterwright diagnose @FILE@ node {{ $labels.node }}",),
        steps=(
            "`/var/log/clusterwright` on the node has the step and its error.",
            "Reboot the node: the program continues at that step.",
        ),
    ),
)
