"""Signatures of the family `jobs`, with messages as their sources write them."""

from __future__ import annotations

import pytest

from tests.diagnosis.made import findings, of_log, signature_of

CASES = (
    (
        "log",
        "mpirun noticed that process rank 1 with PID 39 on node w-1 exited on signal 9 (Killed).",
        "process-killed",
    ),
    ("log", "gcs_rpc_client.h:542: Failed to connect to GCS within 60 seconds.", "ray-control"),
    (
        "log",
        "slurmstepd: error: *** JOB 7 ON workers-1 UNCORRECTABLE MEMORY ERROR AT 2026-11-23T08:00:00 ***",
        "cancelled-memory",
    ),
    (
        "log",
        "srun: error: task 0 launch failed: Plugin initialization failed",
        "task-launch",
    ),
    ("job", "FAILED exit 137:0", "job-exit"),
    ("job", "NODE_FAIL exit 0:0", "job-node-fail"),
    ("job", "BOOT_FAIL exit 0:0", "job-boot-fail"),
    ("job", "PREEMPTED exit 0:0", "job-preempted"),
    ("pending", "pending: JobHeldAdmin", "pending-held"),
    (
        "running",
        "RUNNING since 2026-11-23T07:00:00Z on w-1, which booted at 2026-11-23T07:05:00Z",
        "job-lost-node",
    ),
    ("pending", "pending: AssocGrpNodeLimit", "pending-limit"),
    ("pending", "pending: Resources", "pending-resources"),
    ("pending", "pending: PartitionTimeLimit", "pending-impossible"),
    ("pending", "pending: (BeginTime)", "pending-begin"),
    (
        "log",
        "slurmd: error: Invalid job credential from 10.0.1.7: Job credential expired",
        "step-credential",
    ),
    (
        "log",
        "ssh: Could not resolve hostname train-worker-0: Name or service not known",
        "ssh-name",
    ),
    (
        "log",
        "ssh: Could not resolve hostname github.com: Name or service not known",
        "name-resolution",
    ),
    ("log", "ssh: connect to host train-worker-1 port 2222: Connection refused", "ssh-connection"),
    ("log", "ubuntu@10.1.4.9: Permission denied (publickey).", "ssh-login"),
    ("log", "Host key verification failed.", "ssh-login"),
    ("log", "srun: error: Nodes p5-dy-[1-4] are still not ready", "nodes-not-booted"),
    ("log", "ray.exceptions.LocalRayletDiedError. Worker exit type: SYSTEM_ERROR", "ray-worker"),
    (
        "log",
        "[p5-1:0071] PMIX ERROR: OUT-OF-RESOURCE in file gds_ds21.c at line 410",
        "pmix-library",
    ),
    (
        "log",
        "slurmstepd: error: mpi/pmix_v5: _errhandler: p5-1 [0]: pmixp_client_v2.c:211: Error handler invoked: status = -61",
        "pmix-peer",
    ),
    (
        "log",
        "2026-02-24 04:30:19,237 WARNING worker.py:1851 -- Raylet is terminated: ip=10.8.2.5, id=ab. Possible reasons include: (1) SIGKILL by the system OOM killer",
        "ray-node",
    ),
    (
        "log",
        "[p5-1:2330:0:2330] ib_mlx5_log.c:177  Local QP operation error on mlx5_2:1/RoCE (synd 0x2 vend 0x68)",
        "ucx-transport",
    ),
    (
        "log",
        "There are not enough slots available in the system to satisfy the 16 slots\nthat were "
        "requested by the application:",
        "mpi-slots",
    ),
    (
        "log",
        "mpirun was unable to launch the specified application as it could not access\nor execute an "
        "executable:\n\nExecutable: /opt/nccl-tests/build/all_reduce_perf\nNode: p5-1",
        "mpi-program",
    ),
    (
        "log",
        "[proxy:0:1@p5-2] HYD_spawn: execvp error on file /opt/osu/osu_bw (No such file or directory)",
        "mpi-program",
    ),
    (
        "log",
        "Fatal error in internal_Init: Other MPI error, error stack:",
        "mpi-call",
    ),
    (
        "log",
        "UCX  ERROR no active messages transport to <no debug data>: Unsupported operation",
        "ucx-no-transport",
    ),
    ("log", "bash: line 3: nvidia-healthmon: command not found", "shell-program"),
    ("log", "/bin/sh: 1: exec: ninja: not found", "shell-program"),
    ("log", "NCCL WARN Call to ibv_poll_cq failed with error Bad address", "verbs-call"),
    ("log", "*** An error occurred in MPI_Init", "mpi-call"),
    (
        "log",
        "backtrace: mca_pml_ob1_recv_frag_callback_match < opal_progress < ompi_mpi_init",
        "mpi-start-race",
    ),
    (
        "log",
        "backtrace: mca_pml_ob1_recv_frag_callback_match < opal_progress < MPI_Allreduce",
        "unknown",
    ),
    (
        "log",
        "slurmstepd: error: mpi/pmix_v4: _f: n1 [0]: pmixp_server.c:9: Cannot do it",
        "pmix-error",
    ),
)


@pytest.mark.parametrize(("kind", "text", "signature"), CASES)
def test_message_has_its_signature(kind: str, text: str, signature: str) -> None:
    assert signature_of(kind, text) == (signature,)


@pytest.mark.parametrize(
    "line",
    [
        "srun: error: Unable to create step for job 5: Job/step already completing or completed",
        "srun: error: Unable to create step for job 5: Socket timed out on send/recv operation",
    ],
)
def test_step_of_a_job_that_has_ended_asks_for_nothing_wrong(line: str) -> None:
    assert "job-request" not in signature_of("log", line)


def test_cancelling_a_job_that_has_ended_is_no_failure() -> None:
    line = "scancel: error: Kill job error on job id 5: Invalid job id specified"
    assert signature_of("log", line) == ()


@pytest.mark.parametrize(
    ("end", "says"),
    [
        ("Segmentation fault (core dumped)", "it crashed (SIGSEGV, segmentation fault)"),
        ("Killed", "it was killed (SIGKILL)"),
        ("Aborted", "it aborted (SIGABRT)"),
        ("Illegal instruction (core dumped)", "SIGILL"),
        ("Exited with exit code 3", "Exited with exit code 3; the messages before it"),
    ],
)
def test_signal_that_srun_reports_is_explained(end: str, says: str) -> None:
    (found,) = findings(*of_log(f"srun: error: ip-10-0-1-5: task 3: {end}"))
    assert says in found.cause


@pytest.mark.parametrize(("number", "says"), [("4", "SIGILL"), ("6", "SIGABRT"), ("8", "SIGFPE")])
def test_signal_of_a_process_of_python_is_explained(number: str, says: str) -> None:
    (found,) = findings(*of_log(f"torch.multiprocessing: process 3 failed (exitcode: -{number})"))
    assert says in found.cause


@pytest.mark.parametrize(
    ("line", "says"),
    [
        (
            "MPIDI_OFI_mpi_init_hook(1586): OFI addrinfo() failed (ofi_init.c:1586:f:No data "
            "available)",
            "finds no provider of libfabric (EFA) that it can use: nothing was found",
        ),
        (
            "MPIDI_OFI_handle_cq_error(792): OFI poll failed (ofi_events.c:792:f:Input/output "
            "error)",
            "what MPI asked (poll): the file system or the device does not answer",
        ),
        (
            "MPIDI_OFI_handle_cq_error(...): OFI poll failed (default nic=rdmap110s0-rdm: Invalid "
            "argument)",
            "what MPI asked (poll): the kernel or a library does not accept the values",
        ),
    ],
)
def test_call_of_libfabric_that_failed_for_mpi_has_its_reason(line: str, says: str) -> None:
    (found,) = findings(*of_log(line))
    assert found.signature == "mpi-ofi"
    assert says in found.cause


@pytest.mark.parametrize(
    ("pid", "named"), [("7", {"nccl-timeout"}), ("8", {"nccl-timeout", "ray-worker"})]
)
def test_worker_of_ray_ended_itself_after_its_watchdog(pid: str, named: set[str]) -> None:
    text = (
        "A worker died or was killed while executing a task by an unexpected system error. "
        "Worker IP address: 10.0.0.7 Worker port: 34011 Worker PID: 7 Worker exit type: SYSTEM_ERROR\n"
        f"(RayWorker pid={pid}) [Rank 0] Watchdog caught collective operation timeout: ran for"
    )
    assert {f.signature for f in findings(*of_log(text))} == named
