"""Lustre as the nodes see it: mounts, space, inodes, LNet."""

from __future__ import annotations

from typing import Final

from clusterwright.alerts.alert import Alert

_DIAGNOSE: Final = "clusterwright diagnose @FILE@ node {{ $labels.node }}"
_USED: Final = (
    "max by (cluster, mountpoint) (1"
    ' - node_filesystem_avail_bytes{cluster="@CLUSTER@",fstype="lustre"}'
    ' / node_filesystem_size_bytes{cluster="@CLUSTER@",fstype="lustre"})'
)
_STEPS: Final = (
    "Find what can be deleted: old checkpoints first. `lfs df --human-readable PATH` shows "
    "targets that are fuller than the others.",
    "Files that are in S3 can be released (`lfs hsm_release`). Else increase `capacity_gib` of "
    "the file system in the spec; that takes hours.",
)

ALERTS: Final = (
    Alert(
        name="LustreMountMissing",
        severity="critical",
        for_minutes=5,
        threshold="a compute node reports, and the mount is missing or does not answer",
        reason="Jobs on the node fail, or write checkpoints to the root disk.",
        summary="@MOUNT@ is not usable on {{ $labels.node }}",
        expression="count by (cluster, group, node) ("
        'node_boot_time_seconds{cluster="@CLUSTER@",group=~"@COMPUTE@"})'
        " unless on (cluster, group, node) ("
        'node_filesystem_device_error{cluster="@CLUSTER@",mountpoint="@MOUNT@"} == 0)',
        needs=("exporter", "lustre"),
        scope="mount",
        without_data="NodeSilent",
        idle="the node",
        commands=(_DIAGNOSE,),
        steps=(
            "`lctl get_param llite.*.stats` and `lnetctl net show` on the node; the kernel log "
            "has evictions.",
            "One node: reboot it. All nodes: the file system or its security groups; see "
            "CloudWatch's metrics of FSx.",
        ),
    ),
    Alert(
        name="LustreNearlyFull",
        severity="warning",
        for_minutes=15,
        threshold="> 85 % of the space used",
        reason="Writes slow down as targets fill; a full target fails checkpoints while others "
        "have space.",
        summary="{{ $labels.mountpoint }} is {{ $value | humanizePercentage }} full",
        expression=f"{_USED} > 0.85",
        needs=("exporter", "lustre"),
        without_data="LustreMountMissing",
        commands=("clusterwright status @FILE@",),
        steps=_STEPS,
    ),
    Alert(
        name="LustreFull",
        severity="critical",
        for_minutes=5,
        threshold="> 95 % of the space used",
        reason="The next checkpoint fails, and the work since the last one is lost.",
        summary="{{ $labels.mountpoint }} is {{ $value | humanizePercentage }} full",
        expression=f"{_USED} > 0.95",
        needs=("exporter", "lustre"),
        without_data="LustreMountMissing",
        commands=("clusterwright status @FILE@",),
        steps=_STEPS,
    ),
    Alert(
        name="LustreInodesNearlyUsed",
        severity="warning",
        for_minutes=15,
        threshold="> 85 % of the metadata targets' inodes used",
        reason="No file can be created without an inode, however much space is free.",
        summary="{{ $value | humanizePercentage }} of the inodes of {{ $labels.mountpoint }} are "
        "used",
        expression="max by (cluster, mountpoint) (1"
        ' - node_filesystem_files_free{cluster="@CLUSTER@",fstype="lustre"}'
        ' / node_filesystem_files{cluster="@CLUSTER@",fstype="lustre"}) > 0.85',
        needs=("exporter", "lustre"),
        without_data="LustreMountMissing",
        commands=("clusterwright status @FILE@",),
        steps=(
            "Pack small files of datasets into archives (WebDataset, tar) and delete the "
            "originals.",
            "More provisioned metadata IOPS also add inodes (`metadata` in the spec).",
        ),
    ),
    Alert(
        name="LnetInterfaceDown",
        severity="warning",
        for_minutes=5,
        threshold="LNet reports an interface that is not up",
        reason="The node reads and writes with less bandwidth, or not at all.",
        summary="LNet interface {{ $labels.nid }} of {{ $labels.node }} is down",
        expression='min by (cluster, group, node, nid) (lustre_lnet_up{cluster="@CLUSTER@"}) == 0',
        needs=("exporter", "lustre"),
        without_data="LustreMountMissing",
        commands=(_DIAGNOSE,),
        steps=(
            "`lnetctl net show --verbose` on the node; with EFA also EfaPortDown.",
            "Reboot the node when its job has ended.",
        ),
    ),
)
