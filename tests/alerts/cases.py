"""For each alert: samples with which it fires, stays quiet just below, clears, and has no data.

The samples have four phases of an hour: just below the threshold, above it, below it again, and
none. A series is its selector with one value for each phase: a number, `+N` for a counter that
grows by N a minute, or None for no sample. An alert is expected at the end of each phase.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

PHASES: Final = ("below", "fires", "clears", "absent")

END_MINUTE: Final = 1500
"""The end of purchased capacity in these tests, in minutes since 1970."""

Values = tuple[float | str | None, ...]


@dataclass(frozen=True)
class Fired:
    """An alert that is expected: labels besides alertname, cluster, severity, and `$value`."""

    labels: dict[str, str] = field(default_factory=dict)
    value: str = ""


@dataclass(frozen=True)
class Case:
    """`expected` has the alerts of each phase, `at` the minute of a phase if it is not its last,
    `quiet_at` further minutes without an alert; `priced` is whether the price is known.
    """

    series: tuple[tuple[str, Values], ...]
    expected: dict[str, tuple[Fired, ...]]
    spec: str = "slurm"
    priced: bool = True
    title: str = ""
    at: dict[str, int] = field(default_factory=dict)
    quiet_at: tuple[int, ...] = ()


def _on(node: str, group: str = "workers") -> str:
    return f'cluster="test",group="{group}",node="{node}",instance_id="i-{node}"'


def _node(name: str, values: Values, *, labels: str = "", node: str = "w1") -> tuple[str, Values]:
    more = f",{labels}" if labels else ""
    return f"{name}{{{_on(node)}{more}}}", values


def _simple(
    name: str,
    below: float | str,
    above: float | str,
    *,
    labels: str = "",
    fired: dict[str, str] | None = None,
    value: str = "",
    spec: str = "slurm",
    more: tuple[tuple[str, Values], ...] = (),
) -> tuple[Case, ...]:
    """One series of one node."""
    found = {"group": "workers", "node": "w1", **(fired or {})}
    return (
        Case(
            (_node(name, (below, above, below, None), labels=labels), *more),
            {"fires": (Fired(found, value),)},
            spec=spec,
        ),
    )


def _cluster(name: str, below: Values, labels: str = "") -> tuple[str, Values]:
    more = f",{labels}" if labels else ""
    return f'{name}{{cluster="test",group="controller",node="c1"{more}}}', below


def _figure(name: str, values: Values) -> tuple[str, Values]:
    """A figure of one job, as the controller exports it."""
    return _cluster(f"training_{name}", values, 'job_id="7",partition="p"')


_COLLECTIVE: Final = {"job_id": "7", "n_nodes": "4", "nranks": "32", "size_mib": "1024"}


def _all_reduce(
    values: Values, *, node: str = "w1", nranks: str = "32"
) -> tuple[tuple[str, Values], ...]:
    """A GPU's figure of a job's all-reduces over four nodes."""
    labels = {**_COLLECTIVE, "nranks": nranks, "collective": "AllReduce", "uuid": "u"}
    text = ",".join(f'{key}="{value}"' for key, value in labels.items())
    return (_node("nccl_bus_bandwidth_gbs", values, labels=text, node=node),)


def _accepted(gbs: float, *, instance_type: str = "p5.48xlarge") -> tuple[tuple[str, Values], ...]:
    """What acceptance measured over four nodes."""
    labels = f'instance_type="{instance_type}",n_nodes="4",nranks="32",size_mib="1024"'
    return (_cluster("clusterwright_accepted_bus_bandwidth_gbs", (gbs, gbs, gbs, gbs), labels),)


_JOB: Final = {"partition": "p", "job_id": "7"}
_BOOT: Final = "node_boot_time_seconds"
_W1: Final = {"group": "workers", "node": "w1"}
_UP: Final[Values] = (0, 0, 0, None)
_ALL_SILENT: Final = tuple(Fired({"group": "workers", "node": f"w{n}"}) for n in range(1, 5))
_GIB: Final = 2**30


def _space(
    below: float, above: float, *, mount: str, fstype: str, files: bool = False
) -> tuple[tuple[str, Values], ...]:
    """Used shares of a file system."""
    free, size = ("files_free", "files") if files else ("avail_bytes", "size_bytes")
    labels = f'mountpoint="{mount}",fstype="{fstype}",device="d"'
    left = [round((1 - share) * 1000) for share in (below, above, below)]
    return (
        _node(f"node_filesystem_{free}", (*left, None), labels=labels),
        _node(f"node_filesystem_{size}", (1000, 1000, 1000, None), labels=labels),
    )


CASES: Final[dict[str, tuple[Case, ...]]] = {
    # -- nodes ---------------------------------------------------------------------------------
    "NodeSilent": (
        Case(
            (
                *(_node(_BOOT, _UP, node=f"w{n}") for n in (1, 2, 3)),
                _node(_BOOT, (0, None, 0, None), node="w4"),
            ),
            {
                "fires": (Fired({"group": "workers", "node": "w4"}),),
                "absent": _ALL_SILENT,
            },
            # Three minutes after the last sample.
            quiet_at=(62,),
        ),
        Case(
            (
                *(_node(_BOOT, (0, 0, 0, 0), node=f"w{n}") for n in (1, 2, 3)),
                _node(_BOOT, (0, None, None, None), node="w4"),
                _node(_BOOT, (None, 0, 0, 0), node="w5"),
            ),
            {},
            title="a node that was replaced is not silent",
        ),
    ),
    "ClusterSilent": (
        Case((_node(_BOOT, (0, None, 0, None)),), {"fires": (Fired(),), "absent": (Fired(),)}),
    ),
    "RootDiskNearlyFull": (
        Case(
            _space(0.90, 0.91, mount="/", fstype="ext4"),
            {"fires": (Fired(_W1, "91%"),)},
        ),
    ),
    "SharedMemoryLeftOver": (
        Case(
            (
                _node("node_memory_Shmem_bytes", (10 * _GIB, 11 * _GIB, 10 * _GIB, None)),
                _node("node_memory_MemTotal_bytes", (100 * _GIB,) * 3 + (None,)),
                _node("gpu_utilization_ratio", _UP, labels='gpu="0",uuid="u"'),
            ),
            {"fires": (Fired(_W1, "11%"),)},
        ),
        Case(
            (
                _node("node_memory_Shmem_bytes", (50 * _GIB,) * 3 + (None,)),
                _node("node_memory_MemTotal_bytes", (100 * _GIB,) * 3 + (None,)),
                _node("gpu_utilization_ratio", (0.01,) * 3 + (None,), labels='gpu="0",uuid="u"'),
            ),
            {},
            title="a running job may use shared memory",
        ),
    ),
    "ClockNotSynchronised": _simple(
        "clusterwright_health_findings_by_check", 0, 1, labels='check="clock"'
    ),
    "HealthCheckFails": _simple("clusterwright_health_findings", 0, 2, value="2"),
    "NodeProgramUnfinished": _simple("clusterwright_node_program_unfinished", 0, 1),
    # -- GPUs ----------------------------------------------------------------------------------
    "GpuMissing": _simple("gpu_count", 8, 7, value="7"),
    "GpuMetricsAbsent": (
        Case(
            (_node(_BOOT, (0, 0, 0, 0)), _node("gpu_count", (8, None, 8, None))),
            {"fires": (Fired(_W1),), "absent": (Fired(_W1),)},
        ),
    ),
    "XidNeedsAction": (
        Case(
            (
                _node(
                    "clusterwright_xid_messages",
                    (None, 1, None, None),
                    labels='bus="0000:b9:00",code="79",action="replace",bucket="restart_bm"',
                ),
                _node(
                    "clusterwright_xid_messages",
                    (9, 9, 9, None),
                    labels='bus="0000:b9:00",code="13",action="none",bucket="restart_application"',
                ),
            ),
            {"fires": (Fired({**_W1, "bus": "0000:b9:00", "code": "79", "action": "replace"}),)},
        ),
    ),
    "RowRemapFailed": _simple(
        "DCGM_FI_DEV_ROW_REMAP_FAILURE", 0, 1, labels='gpu="3",UUID="u"', fired={"gpu": "3"}
    ),
    "UncorrectableMemoryErrors": _simple(
        "gpu_ecc_uncorrected_total", "+0", "+1", labels='gpu="3",uuid="u"', fired={"gpu": "3"}
    ),
    "NvlinkErrorsGrow": _simple(
        "DCGM_FI_DEV_NVLINK_CRC_FLIT_ERROR_COUNT_TOTAL",
        "+0",
        "+1",
        labels='gpu="3",UUID="u"',
        fired={"gpu": "3"},
    ),
    "GpuThrottledByHeat": _simple(
        "DCGM_FI_DEV_THERMAL_VIOLATION",
        "+0",
        "+1000",
        labels='gpu="3",UUID="u"',
        fired={"gpu": "3"},
    ),
    "GpusBusyWithoutWork": (
        Case(
            (
                _node("DCGM_FI_DEV_GPU_UTIL", (95, 100, 95, None), labels='gpu="0",UUID="u"'),
                _node(
                    "DCGM_FI_PROF_PIPE_TENSOR_ACTIVE",
                    (0.0, 0.009, 0.0, None),
                    labels='gpu="0",UUID="u"',
                ),
            ),
            {"fires": (Fired(_W1),)},
        ),
        Case(
            (
                _node("DCGM_FI_DEV_GPU_UTIL", (100, 100, 100, None), labels='gpu="0",UUID="u"'),
                _node(
                    "DCGM_FI_PROF_PIPE_TENSOR_ACTIVE",
                    (0.01, 0.01, 0.01, None),
                    labels='gpu="0",UUID="u"',
                ),
            ),
            {},
            title="tensor cores that are active for 1 % of the time work",
        ),
    ),
    "GpusIdle": (
        Case(
            (
                *(_node(_BOOT, _UP, node=node) for node in ("w1", "w2")),
                _node("gpu_utilization_ratio", (0.01, 0, 0.01, None), labels='gpu="0",uuid="u"'),
                _node(
                    "gpu_utilization_ratio",
                    (0.5, 0, 0.5, None),
                    labels='gpu="0",uuid="v"',
                    node="w2",
                ),
            ),
            {"fires": (Fired({"group": "workers"}, "196.64"),)},
        ),
        Case(
            (
                _node(_BOOT, _UP),
                _node("gpu_utilization_ratio", (0.01, 0, 0.01, None), labels='gpu="0",uuid="u"'),
            ),
            {"fires": (Fired({"group": "workers"}, "1"),)},
            priced=False,
            title="without a price the text has the number of nodes",
        ),
    ),
    "DcgmDown": _simple("dcgm_up", 1, 0),
    # -- Neuron --------------------------------------------------------------------------------
    "NeuronDeviceMissing": _simple("neuron_device_count", 16, 15, value="15", spec="trainium"),
    "NeuronMetricsAbsent": (
        Case(
            (_node(_BOOT, (0, 0, 0, 0)), _node("neuron_device_count", (16, None, 16, None))),
            {"fires": (Fired(_W1),), "absent": (Fired(_W1),)},
            spec="trainium",
        ),
    ),
    "NeuronMemoryErrors": (
        *_simple(
            "neuron_mem_ecc_uncorrected_total",
            "+0",
            "+1",
            labels='device="5"',
            fired={"device": "5"},
            spec="trainium",
        ),
        *_simple(
            "neuron_sram_ecc_uncorrected_total",
            "+0",
            "+1",
            labels='device="5"',
            fired={"device": "5"},
            spec="trainium",
        ),
    ),
    "NeuronDevicesIdle": (
        Case(
            (
                _node(_BOOT, _UP),
                _node(
                    "neuron_calls_total",
                    ("+1", "+0", "+1", None),
                    labels='device="0",core="0",status="success"',
                ),
            ),
            {"fires": (Fired({"group": "workers"}, "98.32"),)},
            spec="trainium",
        ),
    ),
    # -- EFA -----------------------------------------------------------------------------------
    "EfaPortDown": _simple(
        "efa_port_active", 1, 0, labels='device="rdmap0s6",port="1"', fired={"device": "rdmap0s6"}
    ),
    "EfaRemoteUnresponsive": _simple(
        "efa_unresponsive_remote_events_total", "+0", "+1", labels='device="rdmap0s6",port="1"'
    ),
    "EfaIdleWhileJobsRun": (
        Case(
            (
                _node(
                    "efa_tx_bytes_total", ("+1", "+0", "+1", None), labels='device="r",port="1"'
                ),
                _cluster("slurm_jobs_multi_node", (1, 1, 1, None), 'partition="p"'),
            ),
            {"fires": (Fired(),)},
        ),
        Case(
            (
                _node("efa_tx_bytes_total", ("+0",) * 3 + (None,), labels='device="r",port="1"'),
                _cluster("slurm_jobs_multi_node", (0, 0, 0, None), 'partition="p"'),
            ),
            {},
            title="without such a job EFA may be idle",
        ),
    ),
    "NcclBandwidthBelowAccepted": (
        Case(
            (*_all_reduce((210, 209, 210, None)), *_accepted(300)),
            {"fires": (Fired({**_COLLECTIVE, "group": "workers"}, "69.67%"),)},
        ),
        Case(
            (
                *_all_reduce((100, 100, 100, None)),
                *_all_reduce((210, 210, 210, None), node="w2"),
                *_accepted(300),
            ),
            {},
            title="ranks that wait for others have less",
        ),
        Case(
            (*_all_reduce((1, 1, 1, None), nranks="4"), *_accepted(300)),
            {},
            title="a rank of each node, which no acceptance measures",
        ),
        Case(
            (*_all_reduce((1, 1, 1, None)), *_accepted(300, instance_type="p4d.24xlarge")),
            {},
            title="accepted on another instance type",
        ),
        Case((_all_reduce((1, 1, 1, None))), {}, title="nothing was accepted yet"),
    ),
    # -- Lustre --------------------------------------------------------------------------------
    "LustreMountMissing": (
        Case(
            (
                _node(_BOOT, (0, 0, 0, 0)),
                _node(
                    "node_filesystem_device_error",
                    (0, 1, 0, None),
                    labels='mountpoint="/fsx",fstype="lustre",device="d"',
                ),
            ),
            {
                "fires": (Fired({**_W1, "mountpoint": "/fsx"}),),
                "absent": (Fired({**_W1, "mountpoint": "/fsx"}),),
            },
        ),
    ),
    "LustreNearlyFull": (
        Case(
            _space(0.85, 0.86, mount="/fsx", fstype="lustre"),
            {"fires": (Fired({"mountpoint": "/fsx"}, "86%"),)},
        ),
    ),
    "LustreFull": (
        Case(
            _space(0.95, 0.96, mount="/fsx", fstype="lustre"),
            {"fires": (Fired({"mountpoint": "/fsx"}, "96%"),)},
        ),
    ),
    "LustreInodesNearlyUsed": (
        Case(
            _space(0.85, 0.86, mount="/fsx", fstype="lustre", files=True),
            {"fires": (Fired({"mountpoint": "/fsx"}, "86%"),)},
        ),
    ),
    "LnetInterfaceDown": _simple(
        "lustre_lnet_up",
        1,
        0,
        labels='net="efa",nid="10.0.0.5@efa"',
        fired={"nid": "10.0.0.5@efa"},
    ),
    # -- Slurm ---------------------------------------------------------------------------------
    "SlurmctldDown": (
        Case(
            (_cluster("clusterwright_source_up", (1, 0, 1, None), 'source="slurm"'),),
            {"fires": (Fired({"node": "c1"}),)},
        ),
    ),
    "SlurmMetricsAbsent": (
        Case(
            (_cluster("slurm_scheduler_threads", (1, None, 1, None)),),
            {"fires": (Fired(),), "absent": (Fired(),)},
        ),
    ),
    "BackfillSlow": (
        Case(
            (
                _cluster(
                    "slurm_scheduler_last_cycle_seconds",
                    (30, 31, 30, None),
                    'scheduler="backfill"',
                ),
                _cluster(
                    "slurm_scheduler_last_cycle_seconds", (99, 99, 99, None), 'scheduler="main"'
                ),
            ),
            {"fires": (Fired({}, "31"),)},
        ),
    ),
    "AccountingQueueGrows": (
        Case(
            (_cluster("slurm_scheduler_dbd_queue_size", ("+16", "+16", 0, None)),),
            {"fires": (Fired({}, "1920"),)},
        ),
        Case(
            (_cluster("slurm_scheduler_dbd_queue_size", (5000, 5000, 5000, None)),),
            {},
            title="a long queue that does not grow",
        ),
    ),
    "NodesDrained": (
        Case(
            (
                _cluster("slurm_nodes", (0, 2, 0, None), 'partition="p",state="drained"'),
                _cluster("slurm_nodes", (4, 2, 4, None), 'partition="p",state="idle"'),
            ),
            {"fires": (Fired({"partition": "p"}, "2"),)},
        ),
    ),
    "PartitionDegraded": (
        Case(
            (
                _cluster("slurm_nodes", (5, 6, 5, None), 'partition="p",state="down"'),
                _cluster("slurm_nodes", (95, 94, 95, None), 'partition="p",state="allocated"'),
            ),
            {"fires": (Fired({"partition": "p"}, "6%"),)},
        ),
    ),
    # -- training jobs -------------------------------------------------------------------------
    # At the end of each phase it is 3540, 7140, 10740 and 14340 s.
    "TrainingWithoutProgress": (
        Case(
            (
                _figure("last_step_timestamp_seconds", (2941, 2941, 10700, None)),
                _figure("step_line_interval_seconds", (120, 120, 120, None)),
            ),
            {"fires": (Fired(_JOB, "4199"),)},
        ),
        Case(
            (
                _figure("last_step_timestamp_seconds", (0, 0, 0, None)),
                _figure("step_line_interval_seconds", (3600, 3600, 3600, None)),
            ),
            {},
            title="a line an hour is usual for this job",
        ),
        Case(
            (_figure("last_step_timestamp_seconds", (0, 0, 0, None)),),
            {},
            title="no step is due before the second or after the end",
        ),
    ),
    "StepTimeRegressed": (
        Case(
            (_figure("step_seconds", (10, 12, 10, None)),),
            {"fires": (Fired(_JOB, "1.2"),)},
        ),
        Case(
            (_figure("step_seconds", (10, 11.5, 10, None)),),
            {},
            title="15 % longer",
        ),
    ),
    "CheckpointOverdue": (
        Case(
            (
                _figure("checkpoint_timestamp_seconds", (0, 0, 10700, None)),
                _figure("checkpoint_interval_seconds", (3000, 3000, 3000, None)),
            ),
            {"fires": (Fired(_JOB, "7140"),)},
        ),
    ),
    # -- Kubernetes ----------------------------------------------------------------------------
    "ApiServerFails": (
        Case(
            (
                (
                    'apiserver_request_total{cluster="test",code="503"}',
                    ("+5", "+6", "+5", None),
                ),
                (
                    'apiserver_request_total{cluster="test",code="200"}',
                    ("+95", "+94", "+95", None),
                ),
            ),
            {"fires": (Fired({}, "6%"),)},
            spec="eks",
        ),
    ),
    "ApiServerMetricsAbsent": (
        Case(
            (('apiserver_request_total{cluster="test",code="200"}', ("+1", None, "+1", None)),),
            {"fires": (Fired(),), "absent": (Fired(),)},
            spec="eks",
        ),
    ),
    "ContainerOutOfMemory": (
        Case(
            (
                (
                    'container_oom_events_total{cluster="test",node="n",namespace="a",pod="b",'
                    'container="c"}',
                    ("+0", "+1", "+0", None),
                ),
            ),
            {"fires": (Fired({"node": "n", "namespace": "a", "pod": "b"}),)},
            spec="eks",
        ),
    ),
    # -- exporters -----------------------------------------------------------------------------
    "ExporterSourceFails": _simple(
        "clusterwright_source_up", 1, 0, labels='source="nvidia"', fired={"source": "nvidia"}
    ),
    "ExporterDown": _simple("up", 1, 0, labels='job="clusterwright",instance="x"'),
    # -- purchased capacity --------------------------------------------------------------------
    **{
        name: (
            Case(
                (),
                {"fires": (Fired(),), "absent": (Fired(),)},
                at={
                    "below": END_MINUTE - before - 1,
                    "fires": END_MINUTE - before,
                    "absent": END_MINUTE - 1,
                    "clears": END_MINUTE,
                },
            ),
        )
        for name, before in (
            ("CapacityEndsInOneDay", 24 * 60),
            ("CapacityEndsInTwoHours", 120),
            ("CapacityEndsInMinutes", 40),
        )
    },
}
