"""Signatures of the family `training`, with messages as their sources write them."""

from __future__ import annotations

import pytest

from tests.diagnosis.made import findings, of_log, signature_of

CASES = (
    ("log", "Fatal Python error: Illegal instruction", "illegal-instruction"),
    ("log", "kernel: traps: python[9] trap invalid opcode ip:7f1 sp:7ff", "illegal-instruction"),
    ("log", "RuntimeError: CUDA error: device-side assert triggered", "cuda-error"),
    (
        "log",
        "torch.distributed.DistStoreError: Timed out after 601 seconds waiting for clients",
        "rendezvous",
    ),
    (
        "log",
        "RuntimeError: DataLoader worker (pid 12) is killed by signal: Killed.",
        "data-loader-killed",
    ),
    (
        "log",
        "slurmstepd: error: execve(): /fsx/run: No such file or directory",
        "job-program-missing",
    ),
    (
        "log",
        "slurmstepd: error: *** JOB 7 ON workers-1 CANCELLED AT 2026-11-23T08:00:00 DUE TO TIME LIMIT ***",
        "time-limit",
    ),
    (
        "log",
        "slurmstepd: error: *** STEP 7.0 ON workers-1 CANCELLED AT 2026-11-23T08:00:00 DUE TO JOB REQUEUE ***",
        "requeued",
    ),
    (
        "log",
        "slurmstepd: error: *** STEP 7.0 ON workers-1 FAILED (non-zero exit code or other failure mode) ***",
        "step-cancelled",
    ),
    (
        "log",
        "slurmstepd: error: StepId=7.0 exceeded memory limit (9 > 8), being killed",
        "host-memory",
    ),
    ("log", "error: Could not open stdout file /fsx/a.out: No such file", "job-output"),
    ("log", "OSError: [Errno 24] Too many open files", "too-many-files"),
    (
        "log",
        "The server socket has failed to listen on any local network address. port: 29500, EADDRINUSE",
        "master-port",
    ),
    ("log", "found NaN in local grad norm in backward pass", "numerical"),
    ("log", "mm_iface failed to allocate receive FIFO", "shared-memory"),
    ("log", "libfabric: Unresponsive remote receiver. Peer GID 00", "efa-error"),
    (
        "log",
        "Unable to write to EQ: Missing or unavailable event queue. err: Input/output error (5) prov_errno: Unknown error -11 "
        "(-11) prov/efa/src/rxr/rxr.h:1343",
        "efa-error",
    ),
    ("log", "For the Libfabric EFA provider to work safely when fork() is called", "efa-fork"),
    (
        "log",
        "AssertionError: Loading a checkpoint for MP=1 but world size is 4",
        "checkpoint-layout",
    ),
    (
        "log",
        "AssertionError: tensor_model_parallel_size value from checkpoint (2) is not equal to the "
        "input argument value (4).",
        "checkpoint-layout",
    ),
    (
        "log",
        "RuntimeError: PytorchStreamWriter failed writing file data/7",
        "checkpoint-incomplete",
    ),
    (
        "log",
        "FileNotFoundError: [Errno 2] No such file or directory: '/data/cache/0a_doc_idx.npy'",
        "data-index",
    ),
    (
        "log",
        "RuntimeError: Detected mismatch between collectives on ranks. x",
        "collective-mismatch",
    ),
    (
        "log",
        "misc/socket.cc:77 NCCL WARN Message truncated : received 1024 bytes instead of 256",
        "nccl-bootstrap-sizes",
    ),
    (
        "log",
        "NCCL WARN NET/Socket : peer 10.1.0.7<41000> message truncated : receiving 2048 bytes "
        "instead of 1024. If you believe your socket network is in a healthy state, there may be "
        "a mismatch in collective sizes or environment settings (e.g. NCCL_PROTO, NCCL_ALGO) "
        "between ranks",
        "collective-mismatch",
    ),
    (
        "log",
        "NCCL WARN Error: failed to extend /dev/shm/nccl-Xh2 to 33030532 bytes",
        "shared-memory",
    ),
    ("log", "nvcc fatal   : Unsupported gpu architecture 'compute_100'", "cuda-toolkit"),
    ("log", "x.cu:3:10: fatal error: cudnn.h: No such file or directory", "cuda-toolkit"),
    (
        "log",
        "triton.runtime.errors.OutOfResources: out of resource: shared memory, Required: 9",
        "kernel-resources",
    ),
    ("log", "ValueError: Cannot find a valid checkpoint at /fsx/ckpt", "checkpoint"),
    (
        "log",
        "RuntimeError: [Rank 0]: Ranks 3 failed to pass monitoredBarrier in 60000 ms",
        "nccl-timeout",
    ),
    (
        "log",
        "[PG 0 Rank 1] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=7, "
        "OpType=ALLREDUCE, Timeout(ms)=600000) ran for 600021 milliseconds",
        "nccl-timeout",
    ),
    (
        "log",
        "slurmstepd: error: couldn't chdir to `/fsx/home/ana': No such file or directory: going to /tmp instead",
        "working-directory",
    ),
    ("log", "CUDA error: CUDA-capable device(s) is/are busy or unavailable", "gpu-busy"),
    (
        "log",
        "UNAVAILABLE: Task /job:jax_worker/replica:0/task:3 heartbeat timeout. This indicates that the remote task has failed, got preempted, or crashed unexpectedly.",
        "jax-coordination",
    ),
    (
        "log",
        "DEADLINE_EXCEEDED: Deadline Exceeded while calling /tensorflow.CoordinationService/Barrier",
        "jax-coordination",
    ),
    (
        "log",
        "libfabric:1:2::efa:mr:efa_mr_reg_impl():8<warn> Unable to register MR of 9 bytes: Bad address",
        "efa-gpu-memory",
    ),
    (
        "log",
        "RuntimeError: fused_attn.cu:6 in function f: cuDNN Error: No valid engine configs",
        "cudnn-kernel",
    ),
    ("log", "torch.distributed.elastic.rendezvous.api.RendezvousClosedError", "rendezvous-closed"),
    ("log", "Failed to bind NVLink SHARP (NVLS) Multicast memory of size 2097152", "nccl-nvls"),
    ("log", "srun: error: gpu001: task 0: Out Of Memory", "host-memory"),
    (
        "log",
        "ConnectionError: Tried to launch distributed communication on port `11986`, but another "
        "process is utilizing it.",
        "master-port",
    ),
    ("log", "Warning  Failed  15s  kubelet  Error: ErrImagePull", "image-pull"),
    ("log", "misc/socket.cc:441 NCCL WARN socketFinalizeAccept: wrong type 4 != 3", "nccl-error"),
    (
        "log",
        "[ERROR] URL https://nvcr.io/proxy_auth returned error code: 401 Unauthorized",
        "registry-login",
    ),
    ("log", "pyxis:     [ERROR] Could not process JSON input", "registry-answer"),
    (
        "log",
        "[ERROR] URL https://a.dkr.ecr.eu-west-2.amazonaws.com/ returned error code: 404 Not Found",
        "container",
    ),
)


@pytest.mark.parametrize(("kind", "text", "signature"), CASES)
def test_message_has_its_signature(kind: str, text: str, signature: str) -> None:
    assert signature_of(kind, text) == (signature,)


@pytest.mark.parametrize(
    "text",
    [
        "kernel: EFA: 32 devices, no errors",
        "efa_metrics: 0 errors on 32 devices",
        "ProcessGroupNCCL initialized with following options: TIMEOUT(ms): 600000",
        "ProcessGroupNCCL environments: TORCH_NCCL_DUMP_ON_TIMEOUT: 1, TORCH_NCCL_BLOCKING_WAIT: 0",
        "export FI_EFA_FORK_SAFE=1",
        "No valid checkpoint found at /fsx/ckpt, training from scratch",
        "saved checkpoint of step 100, world size 64",
        "loaded the index /fsx/cache/0a_doc_idx.npy",
        "[INFO] Using credentials from file: /home/ec2-user/enroot/.credentials",
        "[INFO] Fetching image manifest list from /opt/enroot/image",
    ],
)
def test_normal_messages_have_no_signature(text: str) -> None:
    assert signature_of("log", text) == ("unknown",)


def test_memory_that_may_not_be_opened_is_not_full() -> None:
    text = "NCCL WARN Error: failed to open /dev/shm/nccl-Xh2: Permission denied"
    assert "shared-memory" not in signature_of("log", text)


def test_rendezvous_that_ends_with_its_job_is_no_failure() -> None:
    said = "[INFO] rendezvous 'abc' has been closed after all workers succeeded"
    assert findings(*of_log(said)) == ()


@pytest.mark.parametrize(
    "text",
    [
        "ip-10-0-0-1:1234:1300 [0] NCCL INFO socketPollConnect: connect to 10.0.0.2<43211> returned "
        "Connection refused, retrying (1/34) after sleep for 100 msec",
        "rendezvous.cc:31] This thread has been waiting for `first call to collective operation 1; "
        "run_id=12` for 10 seconds and may be stuck. All threads may not have joined.\n"
        "rendezvous.cc:36] Thread is unstuck! Warning above was a false-positive. Perhaps the "
        "timeout is too short.",
    ],
)
def test_what_the_program_withdraws_is_no_finding(text: str) -> None:
    assert findings(*of_log(f"{text}\nstep 1 loss 1.0")) == ()


@pytest.mark.parametrize(
    ("lines", "cause"),
    [
        (
            "infiniband efa_0: Failed to process command REG_MR (opcode 7) comp_status 1 err -12\n"
            "infiniband efa_0: Failed to register mr [-12]",
            "register more memory: the device has no room for more",
        ),
        (
            "infiniband efa_0: Failed to process command ALLOC_PD (opcode 14) comp_status 1 err -12\n"
            "infiniband efa_0: Failed to allocate pd[-12]",
            "make a protection domain: the device has no room for more",
        ),
        (
            "infiniband efa_1: Failed to create qp [-95]",
            "make a queue pair: the device or driver does not",
        ),
        (
            "infiniband efa_0: Failed to process command DESTROY_QP (opcode 4) comp_status 1 err -110\n"
            "[10.1] efa_0: Failed to destroy qp [-110]",
            "remove a queue pair: the device does not answer",
        ),
        ("efa_0: Failed to destroy qp-7 [-12]", "remove a queue pair: the device refuses"),
        ("efa_0: Failed to deallocate pd-7 [-22]", "remove a protection domain: the request is"),
        (
            "efa_0: Failed to modify qp-7 modify_mask[0x1] [-22]",
            "change a queue pair: the request is not valid (error",
        ),
        ("efa_0: Failed to query qp-7 [-62]", "read the state of a queue pair: the device"),
    ],
)
def test_refused_command_of_an_efa_device_is_named_once(lines: str, cause: str) -> None:
    (found,) = findings(*of_log(lines))
    assert found.signature == "efa-command"
    assert cause in found.cause


@pytest.mark.parametrize(
    ("text", "signature"),
    [
        (
            "NET/OFI Unable to register memory (type = 2) for device 4. RC: -22, Error: x",
            "efa-gpu-memory",
        ),
        (
            "NET/OFI Unable to register memory (type = 2) for device 4. RC: -12, Error: x",
            "locked-memory",
        ),
        (
            'LibfabricError: code -93 ("Protocol not supported"), context: fi_mr_regattr',
            "efa-gpu-memory",
        ),
    ],
)
def test_only_enomem_is_the_limit_of_locked_memory(text: str, signature: str) -> None:
    assert signature_of("log", text) == (signature,)


_CANCELLED = "slurmstepd: error: *** {} ON workers-1 CANCELLED AT 2026-11-23T08:00:00{} ***"
_JOB, _STEP = _CANCELLED.format("JOB 7", ""), _CANCELLED.format("STEP 7.0", "")


@pytest.mark.parametrize(
    ("lines", "signature"),
    [
        ([_JOB], "cancelled-by-person"),
        ([_STEP], "step-cancelled"),
        ([_STEP, _JOB], "cancelled-by-person"),
        ([_CANCELLED.format("STEP 7.0", " DUE TO TIME LIMIT"), _STEP, _JOB], "time-limit"),
        ([_CANCELLED.format("JOB 7", " DUE TO PREEMPTION"), _STEP], "preempted"),
        (
            [_CANCELLED.format("JOB 7", " DUE TO NODE FAILURE, SEE SLURMCTLD LOG FOR DETAILS")],
            "cancelled-node",
        ),
        # srun ends the others after a task that ended.
        (["srun: error: workers-1: task 3: Exited with exit code 1", _STEP], "srun-exit"),
        (["torch.OutOfMemoryError: CUDA out of memory.", _STEP, _JOB], "gpu-memory"),
    ],
)
def test_cancelled_job_has_one_cause(lines: list[str], signature: str) -> None:
    (found,) = findings(*of_log("\n".join(lines), job="7"))
    assert found.signature == signature


def test_cancelled_job_is_no_failure_of_a_node() -> None:
    line = _JOB.replace("slurmstepd:", "[2026-11-23T08:00:00.123] [7.batch]")
    assert findings(*of_log(line)) == ()


def test_question_about_a_node_is_no_failure_of_it() -> None:
    line = "error: Batch completion for JobId=7. Was the job requeued due to node failure?"
    assert all(f.signature != "cancelled-node" for f in findings(*of_log(line)))


_NO_PLUGIN = (
    "NET/Plugin: Could not find: libnccl-net.so. Using internal net plugin.",
    "NET/Plugin : Plugin load (libnccl-net.so) returned 2 : libnccl-net.so: cannot open shared "
    "object file: No such file or directory",
    "NET/Plugin : No plugin found (libnccl-net.so), using internal implementation",
)


@pytest.mark.parametrize("missing", _NO_PLUGIN)
def test_a_missing_plugin_is_a_cause_only_where_nccl_uses_sockets(missing: str) -> None:
    log = "h:1:1 [0] NCCL INFO {}\nh:1:1 [0] NCCL INFO {}"
    assert findings(*of_log(log.format(missing, "Using network IB"))) == ()
    assert findings(*of_log(log.format(missing, "Initialized NET plugin IB"))) == ()
    for used in (
        "Using network Socket",
        "Initialized NET plugin Socket",
        "Assigned NET plugin Socket to comm",
    ):
        (found,) = findings(*of_log(log.format(missing, used)))
        assert found.signature == "efa-not-used"


@pytest.mark.parametrize(
    ("word", "cause"),
    [
        ("Trace/breakpoint trap   ", "a program ended with a core dump: Trace/breakpoint trap"),
        ("Quit                    ", "a program ended with a core dump: Quit"),
        ("Bad system call         ", "a program ended with a core dump: Bad system call"),
        ("Segmentation fault      ", "a program crashed (segmentation fault)"),
        ("Floating point exception", "./a.out ended: arithmetic error (SIGFPE), such as"),
    ],
)
def test_core_dumps_have_the_word_of_their_signal(word: str, cause: str) -> None:
    # Bash pads the word to 24 characters.
    line = f"/var/spool/slurmd/job00012/slurm_script: line 3: 12345 {word}(core dumped) ./a.out"
    (found,) = findings(*of_log(line))
    assert found.cause.startswith(cause)
    (short,) = findings(*of_log(f"{word.strip()} (core dumped)"))
    assert short.cause.startswith(cause.replace("./a.out", "a program"))


def test_a_core_dump_without_a_word() -> None:
    (found,) = findings(*of_log("python: core dumped"))
    assert found.cause == "a program ended with a core dump"
    assert findings(*of_log("core dumped files are kept in /var/crash")) == ()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Epoch 0: 3%| 9/20 [02:12, 14s/it, loss=nan, v_num=1, reduced_train_loss=3.9]", []),
        ("Epoch 0: 3%| 9/20 [02:12, 14s/it, loss=nan, v_num=1, train_loss=nan]", ["numerical"]),
        ("Epoch 0: 3%| 9/20 [02:12, 14s/it, loss=nan]", ["numerical"]),
        ("step 9: grad norm: nan train_loss=3.9", ["numerical"]),
    ],
)
def test_mean_of_a_progress_bar_is_no_loss(text: str, expected: list[str]) -> None:
    assert [finding.signature for finding in findings(*of_log(text))] == expected


CUDNN = """\
E! CuDNN (v90100 70) function cudnnBackendFinalize() called:
e!         Error: CUDNN_STATUS_{status}; Reason: {reason}
e!         Error: CUDNN_STATUS_{status}; Reason: finalize_internal()
"""


@pytest.mark.parametrize(
    ("status", "reason", "words"),
    [
        ("EXECUTION_FAILED", "rtc->loadModule()", "cannot compile or load a kernel"),
        (
            "INTERNAL_ERROR",
            "nvrtcCompileProgram(prog, 3, opts)",
            "cannot compile or load a kernel",
        ),
        ("NOT_SUPPORTED", "!isSupported(op)", "has no kernel"),
        ("BAD_PARAM", "dim mismatch for tensor 3", "shapes, types or strides"),
        ("INTERNAL_ERROR", "workspace_size > limit", "memory of the GPU"),
    ],
)
def test_log_of_cudnn_is_read_by_its_innermost_reason(
    status: str, reason: str, words: str
) -> None:
    (found,) = findings(*of_log(CUDNN.format(status=status, reason=reason)))
    assert found.cause.startswith("CUDA: cuDNN")
    assert words in found.cause
    assert reason in found.cause


@pytest.mark.parametrize(
    "text",
    [
        "[CUDA_ERROR_INVALID_VALUE] invalid argument in expression cuMemSetAccess((CUdeviceptr) b, "
        "size, &desc, 1) on node-2, rank = 8",
        "CUDA driver error: invalid resource handle at cuMemImportFromShareableHandle(&h, fd, type)",
        "CtranIpc.cc:120] Cuda failure 400 'invalid resource handle'\n"
        "CtranIpc.cc:588 -> commUnhandledCudaError   (importShareableHandle, isFabric=true)",
    ],
)
def test_memory_of_another_node_cannot_be_mapped(text: str) -> None:
    (found,) = findings(*of_log(text))
    assert "IMEX" in found.cause


def test_invalid_handle_alone_is_an_error_of_the_program() -> None:
    (found,) = findings(*of_log("Cuda failure 400 'invalid resource handle'"))
    assert "an error of the program" in found.cause


@pytest.mark.parametrize(
    ("status", "words"),
    [
        (
            "CUBLAS_STATUS_NOT_INITIALIZED",
            "cuBLAS cannot be initialised: in most cases the memory",
        ),
        ("CUBLAS_STATUS_EXECUTION_FAILED", "a kernel of cuBLAS failed"),
        ("CUBLAS_STATUS_INVALID_VALUE", "cuBLAS does not accept"),
        ("CUDNN_STATUS_BAD_PARAM", "cuDNN does not accept"),
        ("CUDNN_STATUS_NOT_SUPPORTED", "cuDNN does not have this operation"),
        ("CUDNN_STATUS_ARCH_MISMATCH", "cuDNN does not have this operation"),
        ("CUSOLVER_STATUS_INTERNAL_ERROR", "a kernel of cuSOLVER failed"),
        ("CUSPARSE_STATUS_MAPPING_ERROR", "a kernel of cuSPARSE failed"),
    ],
)
def test_status_of_a_library_of_cuda_has_a_meaning(status: str, words: str) -> None:
    (found,) = findings(*of_log(f"RuntimeError: {status} when calling f(handle)"))
    assert words in found.cause
    assert status in found.cause


def test_libraries_that_fail_one_after_another_are_one_finding() -> None:
    lines = (
        "E cuda_blas.cc:226] failed to create cublas handle: CUBLAS_STATUS_NOT_INITIALIZED\n"
        "E cuda_dnn.cc:374] Could not create cudnn handle: CUDNN_STATUS_INTERNAL_ERROR\n"
    )
    (found,) = findings(*of_log(lines))
    assert "in most cases the memory of the GPU is used up" in found.cause


def test_handle_that_cannot_be_made_is_not_a_failed_kernel() -> None:
    (found,) = findings(*of_log("Could not create cudnn handle: CUDNN_STATUS_INTERNAL_ERROR"))
    assert "cuDNN cannot be initialised" in found.cause


def test_memory_that_efa_cannot_register_is_one_finding() -> None:
    lines = (
        "libfabric:5464:efa:mr:efa_mr_reg():267<warn> Unable to register MR: Invalid argument\n"
        "libfabric:5464:efa:mr:rxr_mr_regattr():169<warn> Unable to register MR buf (Invalid "
        "argument): 0x7ffc94c94c40 len: 0"
    )
    (found,) = findings(*of_log(lines))
    assert found.signature == "efa-gpu-memory"
