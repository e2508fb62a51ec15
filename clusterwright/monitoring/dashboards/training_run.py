"""One training run: the nodes that its job holds."""

from __future__ import annotations

from clusterwright.monitoring.facts import Facts
from clusterwright.monitoring.panels import Dashboard, Panel, Query, Row, Variable, stat
from clusterwright.monitoring.selectors import JOB_OF_NODE, of_job, on_cluster, on_nodes, rate

_NO_FIGURES = (
    " Step time, tokens and MFU are not exported: `clusterwright report goodput` reads them from"
    " the logs."
)
_FIGURES = (
    " Step time, tokens and MFU are those of the jobs' output files; panels without data are of"
    " figures that a framework does not print."
)


def dashboard(facts: Facts) -> Dashboard:
    """The nodes of a job with Slurm; on Kubernetes, which has no such metric, selected nodes."""
    variables: tuple[Variable, ...] = ("group", "node")
    whose, figures = "the selected nodes", _NO_FIGURES
    if facts.uses_slurm:
        variables = ("partition", "job")
        whose, figures = "the nodes that the selected jobs hold alone", _FIGURES
    return Dashboard(
        name="training_run",
        title="Training run",
        description=f"Accelerators, network and checkpoints of {whose}." + figures,
        variables=variables,
        rows=(_summary(), _figures(), _work(facts), _traffic(facts), _faults(facts)),
    )


def _of(facts: Facts, metric: str, *matchers: str, per_second: bool = False) -> str:
    """A metric of the run's nodes."""
    selected = (on_cluster if facts.uses_slurm else on_nodes)(metric, *matchers)
    expression = rate(selected) if per_second else selected
    return of_job(expression) if facts.uses_slurm else expression


def _summary() -> Row:
    return Row(
        "Job",
        (
            stat("Nodes", "Nodes that the jobs hold alone. Nodes that several jobs share are not"
                 " shown: their measurements are of none of them.", "short",
                 Query(f"count({JOB_OF_NODE})"), width=8),
            stat("Jobs", "Selected jobs that hold nodes.", "short",
                 Query(f"count(count by (job_id) ({JOB_OF_NODE}))"), width=8),
            stat("Findings on these nodes", "Findings of the last health checks.", "short",
                 Query(f"sum({of_job(on_cluster('clusterwright_health_findings'))})"), alarm_at=1,
                 width=8),
        ),
    )  # fmt: skip


def _of_output(metric: str) -> str:
    """A figure of the selected jobs' output files."""
    return on_cluster(metric, 'partition=~"$partition"', 'job_id=~"$job"')


def _each(metric: str) -> str:
    """A figure of each job, whatever its other labels."""
    return f"max by (job_id) ({_of_output(metric)})"


def _figures() -> Row:
    job = "{{job_id}}"
    info = _of_output("training_job_info")
    named = f"max by (job_id, job_name, user, account, framework) ({info})"
    age = "time() - max by (job_id) ({})"
    since_step = age.format(_of_output("training_last_step_timestamp_seconds"))
    since_save = age.format(_of_output("training_checkpoint_timestamp_seconds"))
    return Row(
        "Figures of the training",
        (
            stat("Training jobs", "Jobs whose output has steps.", "short",
                 Query(named, "{{job_id}} {{job_name}} ({{user}}, {{account}}): {{framework}}"),
                 width=12),
            stat("Output that cannot be read", "Output files that the controller cannot read, by"
                 " reason: of the file's or a folder's mode, or because the server does not trust"
                 " root (root_squash).", "short",
                 Query(f"count by (reason) ({_of_output('training_log_readable')} == 0) > 0",
                       "{{reason}}"), warn_at=1, width=12),
            Panel("Seconds per step", "By the last step line of each job.", "s",
                  (Query(_each("training_step_seconds"), job),)),
            Panel("Tokens per second", "Of the whole job.", "short",
                  (Query(_each("training_tokens_per_second"), job),)),
            Panel("Operations of each GPU", "Floating point operations per second, as the"
                  " framework counts them (Megatron-LM with --log-throughput), and as the plan of"
                  " a rendered job does.", "flops",
                  (Query(_each("training_flops_per_gpu"), job),
                   Query(_each("training_plan_flops_per_gpu"), f"{job} by the plan"))),
            Panel("MFU", "Model FLOPs utilisation, as the framework counts it (torchtitan), and as"
                  " the plan of a rendered job does.", "percentunit",
                  (Query(_each("training_mfu_ratio"), job),
                   Query(_each("training_plan_mfu_ratio"), f"{job} by the plan")), maximum=1),
            Panel("Loss", "By the last step line that has it.", "short",
                  (Query(_each("training_loss"), job),)),
            Panel("Steps", "Steps completed. It falls where a job resumes from a checkpoint.",
                  "short", (Query(_each("training_step"), job),
                            Query(_each("training_checkpoint_step"), f"{job} last checkpoint"))),
            Panel("Since the last step", "It grows while a job stands still.", "s",
                  (Query(since_step, job),)),
            Panel("Since the last checkpoint", "What a failure would cost now, and the usual time"
                  " between two checkpoints.", "s",
                  (Query(since_save, job),
                   Query(_each("training_checkpoint_interval_seconds"), f"{job} usual"))),
            Panel("Duration of a save", "As the framework states it for the last checkpoint.", "s",
                  (Query(_each("training_checkpoint_seconds"), job),)),
            Panel("Restarts", "Times that Slurm requeued each job.", "short",
                  (Query(_each("training_restarts"), job),)),
        ),
    )  # fmt: skip


def _work(facts: Facts) -> Row:
    util = _of(facts, "gpu_utilization_ratio")
    tensor = _of(facts, "DCGM_FI_PROF_PIPE_TENSOR_ACTIVE")
    flops = _of(facts, "neuron_flops_total", per_second=True)
    spread = f"max(avg by (node) ({util})) - min(avg by (node) ({util}))"
    held = on_cluster("gpu_job_info", 'job_id=~"$job"')
    of_gpus = (
        f"{on_cluster('gpu_utilization_ratio')} * on (node, gpu) group_left (job_id)"
        f" max by (node, gpu, job_id) ({held})"
    )
    return Row(
        "Work",
        (
            Panel("Use of GPUs", "Share of time in which a kernel was running, mean of each node.",
                  "percentunit", (Query(f"avg by (node) ({util})", "{{node}}"),), maximum=1),
            Panel("Use of the GPUs of each job", "Mean of the GPUs that each job holds, also of"
                  " jobs that share a node.", "percentunit",
                  (Query(f"avg by (job_id) ({of_gpus})", "{{job_id}}"),), maximum=1),
            Panel("Tensor pipe", "Share of cycles in which it was active, mean of each node. It"
                  " bounds MFU from above but is not MFU. Needs DCGM's daemon.", "percentunit",
                  (Query(f"avg by (node) ({tensor})", "{{node}}"),), maximum=1),
            Panel("Operations of Neuron devices", "Floating point operations per second, sum of"
                  " each node.", "ops", (Query(f"sum by (node) ({flops})", "{{node}}"),)),
            Panel("Power", "Power draw of the GPUs, sum of each node. It falls when a job hangs,"
                  " while use stays at 100 %.", "watt",
                  (Query(f"sum by (node) ({_of(facts, 'gpu_power_watts')})", "{{node}}"),)),
            Panel("Memory of the fullest GPU", "Memory in use, of the fullest GPU of each node.",
                  "bytes",
                  (Query(f"max by (node) ({_of(facts, 'gpu_memory_used_bytes')})", "{{node}}"),)),
            Panel("Difference between nodes", "Use of the busiest node less that of the least busy"
                  " one. In a healthy job it is near zero.", "percentunit",
                  (Query(spread, "difference"),), maximum=1, warn_at=0.2),
        ),
    )  # fmt: skip


def _traffic(facts: Facts) -> Row:
    sent = _of(facts, "efa_tx_bytes_total", per_second=True)
    kinds = {
        word: _of(facts, "lustre_client_bytes_total", f'operation="{word}_bytes"', per_second=True)
        for word in ("read", "write")
    }
    local = _of(facts, "node_disk_written_bytes_total", per_second=True)
    return Row(
        "Communication and checkpoints",
        (
            Panel("Sent over EFA", "Bytes per second of each node. Zero while a job of several"
                  " nodes runs: it hangs, or does not use EFA.", "Bps",
                  (Query(f"sum by (node) ({sent})", "{{node}}"),)),
            Panel("Lustre", "Bytes per second, sum of the nodes: data that is read, and peaks of"
                  " checkpoints that are written.", "Bps",
                  tuple(Query(f"sum({kinds[word]})", word) for word in kinds)),
            Panel("Local disks", "Bytes written per second, sum of the nodes: checkpoints that are"
                  " saved locally first.", "Bps", (Query(f"sum({local})", "written"),)),
        ),
    )  # fmt: skip


def _faults(facts: Facts) -> Row:
    def above_zero(metric: str) -> str:
        return f"({_of(facts, metric)}) > 0"

    gone = _of(facts, "efa_unresponsive_remote_events_total", per_second=True)
    return Row(
        "Faults on these nodes",
        (
            Panel("GPUs with faults", "Uncorrected memory errors since the driver was loaded, and"
                  " the code of the last Xid (with DCGM).", "short",
                  (Query(above_zero("gpu_ecc_uncorrected_total"), "{{node}} GPU {{gpu}} errors"),
                   Query(above_zero("DCGM_FI_DEV_XID_ERRORS"), "{{node}} GPU {{gpu}} Xid")),
                  alarm_at=1),
            Panel("Neuron devices with faults", "Uncorrected errors of device memory.", "short",
                  (Query(above_zero("neuron_mem_ecc_uncorrected_total"),
                         "{{node}} device {{device}}"),), alarm_at=1),
            Panel("Peers that do not answer", "Events per second of EFA connections whose other"
                  " side is unresponsive.", "ops",
                  (Query(f"sum by (node) ({gone}) > 0", "{{node}}"),), alarm_at=0.001),
        ),
    )  # fmt: skip
