"""Neuron devices (Trainium and Inferentia): lost devices, memory errors, idle money."""

from __future__ import annotations

from typing import Final

from clusterwright.alerts.alert import Alert

_DIAGNOSE: Final = "clusterwright diagnose @FILE@ node {{ $labels.node }}"

ALERTS: Final = (
    Alert(
        name="NeuronDeviceMissing",
        severity="critical",
        for_minutes=2,
        threshold="fewer Neuron devices than the instance type has",
        reason="A device is lost; jobs that ask for whole nodes fail or do not start.",
        summary='{{ $labels.node }} shows {{ $value | printf "%.0f" }} of @COUNT@ devices',
        expression="min by (cluster, group, node) ("
        'neuron_device_count{cluster="@CLUSTER@",group="@GROUP@"}) < @COUNT@',
        needs=("exporter", "neuron"),
        scope="group",
        without_data="NeuronMetricsAbsent",
        idle="the node",
        commands=(_DIAGNOSE,),
        steps=(
            "`neuron-ls` on the node, and the kernel log.",
            "Reboot the node; replace it if the device does not come back.",
        ),
    ),
    Alert(
        name="NeuronMetricsAbsent",
        severity="critical",
        for_minutes=10,
        threshold="a node with Neuron devices sends samples, but none of its devices",
        reason="The driver is not loaded. No other alert on its devices can fire.",
        summary="{{ $labels.node }} sends no samples of its Neuron devices",
        expression="count by (cluster, group, node) ("
        'node_boot_time_seconds{cluster="@CLUSTER@",group="@GROUP@"})'
        " unless on (cluster, group, node) "
        'neuron_device_count{cluster="@CLUSTER@",group="@GROUP@"}',
        needs=("exporter", "neuron"),
        scope="group",
        without_data="NodeSilent",
        idle="the node",
        commands=(_DIAGNOSE,),
        steps=(
            "`lsmod | grep neuron` on the node: the driver's module is missing after an update "
            "of the kernel.",
            "Replace the node.",
        ),
    ),
    Alert(
        name="NeuronMemoryErrors",
        severity="critical",
        for_minutes=0,
        threshold="a counter of uncorrected ECC errors grows",
        reason="Data in the device's memory was lost; the results of the job are not reliable.",
        summary="Device {{ $labels.device }} of {{ $labels.node }} had uncorrected memory errors",
        expression="max by (cluster, group, node, device) ("
        'increase(neuron_mem_ecc_uncorrected_total{cluster="@CLUSTER@"}[@RATE@])'
        " or "
        'increase(neuron_sram_ecc_uncorrected_total{cluster="@CLUSTER@"}[@RATE@])) > 0',
        needs=("exporter", "neuron"),
        without_data="NeuronMetricsAbsent",
        commands=(_DIAGNOSE,),
        steps=(
            "Drain the node and replace it.",
            "Requeue the job from the last checkpoint before the error.",
        ),
    ),
    Alert(
        name="NeuronDevicesIdle",
        severity="warning",
        for_minutes=5,
        threshold="more nodes than spares whose devices had no call for 30 minutes",
        reason="Nodes are paid for whether jobs run or not, reserved capacity in any case.",
        summary="Nodes of @GROUP@ whose Neuron devices are idle: @VALUE@",
        expression="count by (cluster, group) (max by (cluster, group, node) (increase("
        'neuron_calls_total{cluster="@CLUSTER@",group="@GROUP@"}[30m])) == 0'
        " and on (cluster, group, node) (time() - max by (cluster, group, node) ("
        'node_boot_time_seconds{cluster="@CLUSTER@",group="@GROUP@"})) > 1800)',
        needs=("exporter", "neuron"),
        scope="group",
        without_data="NeuronMetricsAbsent",
        idle="the nodes",
        priced_value=True,
        commands=("clusterwright status @FILE@", "clusterwright capacity @FILE@"),
        steps=(
            "`status` shows waiting jobs; `clusterwright diagnose FILE job ID` says why they "
            "wait.",
            "No jobs: reduce `count` of on-demand groups.",
        ),
    ),
)
