"""NVIDIA GPUs: lost devices, errors, throttling, hangs, and money that is idle."""

from __future__ import annotations

from typing import Final

from clusterwright.alerts.alert import Alert

_DIAGNOSE: Final = "clusterwright diagnose @FILE@ node {{ $labels.node }}"
_REPLACE: Final = "clusterwright node replace @FILE@ {{ $labels.node }} --because @NAME@"
_TO_REPLACE: Final = (
    "If HyperPod has not acted within 15 minutes, replace the node; then `clusterwright accept "
    "FILE --nodes NODE --level full`."
)

ALERTS: Final = (
    Alert(
        name="GpuMissing",
        severity="critical",
        for_minutes=2,
        threshold="fewer GPUs than the instance type has",
        reason="A GPU has fallen off the bus. Jobs that ask for whole nodes no longer start on "
        "it, and the running job fails.",
        summary='{{ $labels.node }} shows {{ $value | printf "%.0f" }} of @COUNT@ GPUs',
        expression="min by (cluster, group, node) ("
        'gpu_count{cluster="@CLUSTER@",group="@GROUP@"}) < @COUNT@',
        needs=("exporter", "nvidia"),
        scope="group",
        without_data="GpuMetricsAbsent",
        idle="the node",
        commands=(_DIAGNOSE, _REPLACE),
        steps=(
            "`diagnose` shows the Xid that came with it (79: fallen off the bus).",
            "A reboot brings it back at times. " + _TO_REPLACE,
        ),
    ),
    Alert(
        name="GpuMetricsAbsent",
        severity="critical",
        for_minutes=10,
        threshold="a node with GPUs sends samples, but none of its GPUs",
        reason="The driver is not loaded or does not answer. No other alert on its GPUs can fire.",
        summary="{{ $labels.node }} sends no samples of its GPUs",
        expression="count by (cluster, group, node) ("
        'node_boot_time_seconds{cluster="@CLUSTER@",group="@GROUP@"})'
        " unless on (cluster, group, node) "
        'gpu_count{cluster="@CLUSTER@",group="@GROUP@"}',
        needs=("exporter", "nvidia"),
        scope="group",
        without_data="NodeSilent",
        idle="the node",
        commands=(_DIAGNOSE,),
        steps=(
            "`nvidia-smi` on the node: an error names the driver; no answer is a hang of the "
            "driver, which only a reboot ends.",
            _TO_REPLACE,
        ),
    ),
    Alert(
        name="XidNeedsAction",
        severity="critical",
        for_minutes=0,
        threshold="an Xid since boot whose verdict is reboot or replace",
        reason="NVIDIA's catalogue asks for a reset, a restart or another machine. The job on the "
        "GPU has failed or computes wrong results.",
        summary="Xid {{ $labels.code }} on GPU {{ $labels.bus }} of {{ $labels.node }}: "
        "{{ $labels.action }}",
        expression="max by (cluster, group, node, bus, code, action) ("
        'clusterwright_xid_messages{cluster="@CLUSTER@",action=~"reboot|replace"}) > 0',
        needs=("exporter", "health", "nvidia"),
        without_data="GpuMetricsAbsent",
        idle="the drained node",
        commands=(_DIAGNOSE,),
        steps=(
            "The health check has drained the node. The label `action` is the verdict of "
            "`xid_verdicts.json`.",
            "HyperPod's recovery acts by its own table; if it has not within 15 minutes, run "
            "`clusterwright node reboot` or `replace`, as the label says.",
            "The alert clears with the next boot.",
        ),
    ),
    Alert(
        name="RowRemapFailed",
        severity="critical",
        for_minutes=0,
        threshold="DCGM reports a failed row remapping",
        reason="The GPU's memory has no spare rows left: further errors cannot be repaired.",
        summary="GPU {{ $labels.gpu }} of {{ $labels.node }} could not remap a row",
        expression="max by (cluster, group, node, gpu) ("
        'DCGM_FI_DEV_ROW_REMAP_FAILURE{cluster="@CLUSTER@"}) > 0',
        needs=("exporter", "dcgm"),
        without_data="DcgmDown",
        commands=(_DIAGNOSE, _REPLACE),
        steps=("Drain and replace the node: a reboot does not repair it.", _TO_REPLACE),
    ),
    Alert(
        name="UncorrectableMemoryErrors",
        severity="critical",
        for_minutes=0,
        threshold="the counter of uncorrectable (double-bit) ECC errors grows",
        reason="Data in the GPU's memory was lost; the process was ended or will be.",
        summary="GPU {{ $labels.gpu }} of {{ $labels.node }} had uncorrectable memory errors",
        expression="max by (cluster, group, node, gpu) ("
        'increase(gpu_ecc_uncorrected_total{cluster="@CLUSTER@"}[@RATE@])) > 0',
        needs=("exporter", "nvidia"),
        without_data="GpuMetricsAbsent",
        commands=(_DIAGNOSE,),
        steps=(
            "Reboot the node: a pending row remapping is done by the reset.",
            "Errors again within seven days: " + _TO_REPLACE[0].lower() + _TO_REPLACE[1:],
        ),
    ),
    Alert(
        name="NvlinkErrorsGrow",
        severity="warning",
        for_minutes=15,
        threshold="the counter of NVLink CRC errors grows for 15 minutes",
        reason="Repeated transfers slow down collectives within the node; a failing link ends "
        "with Xid 74.",
        summary="NVLink of GPU {{ $labels.gpu }} of {{ $labels.node }} has CRC errors",
        expression="max by (cluster, group, node, gpu) (increase("
        'DCGM_FI_DEV_NVLINK_CRC_FLIT_ERROR_COUNT_TOTAL{cluster="@CLUSTER@"}[@RATE@])) > 0',
        needs=("exporter", "dcgm"),
        without_data="DcgmDown",
        commands=(_DIAGNOSE, "clusterwright accept @FILE@ --nodes {{ $labels.node }}"),
        steps=(
            "One GPU: reboot the node when its job has ended, then accept it again.",
            "Several GPUs, or SXid messages: replace the node.",
        ),
    ),
    Alert(
        name="GpuThrottledByHeat",
        severity="warning",
        for_minutes=5,
        threshold="the time throttled by heat grows for 5 minutes",
        reason="One slow GPU slows down every GPU of its job. The unit of the counter differs "
        "between releases of DCGM, so only its growth is compared.",
        summary="GPU {{ $labels.gpu }} of {{ $labels.node }} is throttled by heat",
        expression="max by (cluster, group, node, gpu) (increase("
        'DCGM_FI_DEV_THERMAL_VIOLATION{cluster="@CLUSTER@"}[@RATE@])) > 0',
        needs=("exporter", "dcgm"),
        without_data="DcgmDown",
        commands=(_DIAGNOSE, "clusterwright accept @FILE@ --nodes {{ $labels.node }}"),
        steps=(
            "Compare its temperature with the other GPUs of the node. If it alone is hot, the "
            "machine is at fault: replace the node.",
            "All nodes hot: report it to AWS Support with the instance ids.",
        ),
    ),
    Alert(
        name="GpusBusyWithoutWork",
        severity="critical",
        for_minutes=15,
        threshold="all GPUs > 95 % utilised and tensor cores active < 1 % for 15 minutes",
        reason="A waiting NCCL kernel counts as utilisation: the job hangs in a collective "
        "operation. A program without tensor operations looks the same.",
        summary="The GPUs of {{ $labels.node }} are busy and compute nothing",
        expression="min by (cluster, group, node) ("
        'DCGM_FI_DEV_GPU_UTIL{cluster="@CLUSTER@",group="@GROUP@"}) > 95'
        " and on (cluster, group, node) max by (cluster, group, node) ("
        'DCGM_FI_PROF_PIPE_TENSOR_ACTIVE{cluster="@CLUSTER@",group="@GROUP@"}) < 0.01',
        needs=("exporter", "dcgm"),
        scope="group",
        without_data="DcgmDown",
        idle="every node of the job",
        commands=("clusterwright diagnose @FILE@", _DIAGNOSE),
        steps=(
            "Find the job: `squeue --nodelist=NODE`. `clusterwright diagnose FILE job ID` reads "
            "its log for the rank that stopped first.",
            "Ranks that wait show the same picture; the rank at fault often does not. See "
            "[a job hangs](a-job-hangs.md).",
            "Cancel and requeue it from its last checkpoint.",
        ),
    ),
    Alert(
        name="GpusIdle",
        severity="warning",
        for_minutes=5,
        threshold="more nodes than spares whose GPUs did nothing for 30 minutes",
        reason="Nodes are paid for whether jobs run or not, reserved capacity in any case.",
        summary="Nodes of @GROUP@ whose GPUs are idle: @VALUE@",
        expression="count by (cluster, group) (max by (cluster, group, node) (max_over_time("
        'gpu_utilization_ratio{cluster="@CLUSTER@",group="@GROUP@"}[30m])) == 0'
        " and on (cluster, group, node) (time() - max by (cluster, group, node) ("
        'node_boot_time_seconds{cluster="@CLUSTER@",group="@GROUP@"})) > 1800)',
        needs=("exporter", "nvidia"),
        scope="group",
        without_data="GpuMetricsAbsent",
        idle="the nodes",
        priced_value=True,
        commands=("clusterwright status @FILE@", "clusterwright capacity @FILE@"),
        steps=(
            "`status` shows waiting jobs. Jobs that wait while nodes are idle: "
            "`clusterwright diagnose FILE job ID` says why.",
            "No jobs: reduce `count` of on-demand groups. Reserved capacity, Capacity Blocks and "
            "training plans cost the same; use them, or reduce the next purchase.",
        ),
    ),
    Alert(
        name="DcgmDown",
        severity="warning",
        for_minutes=15,
        threshold="DCGM's daemon does not answer",
        reason="Alerts on row remapping, NVLink, heat and hangs have no samples.",
        summary="DCGM on {{ $labels.node }} does not answer",
        expression='min by (cluster, group, node) (dcgm_up{cluster="@CLUSTER@"}) == 0',
        needs=("exporter", "dcgm"),
        without_data="none",
        reason_without_data="A node without dcgmi has no DCGM metrics; the other alerts on its "
        "GPUs need none.",
        commands=(_DIAGNOSE,),
        steps=(
            "`systemctl status nvidia-dcgm` on the node, and restart it.",
            "A running `dcgmi diag` of level 3 or 4 also stops it for minutes.",
        ),
    ),
)
