"""What exceptions of Python say: by their frames, class and words."""

from __future__ import annotations

import pytest

from tests.diagnosis.made import findings, of_log

SITE = "/opt/venv/lib/python3.11/site-packages"


def _causes(*lines: str) -> list[str]:
    return [finding.cause for finding in findings(*of_log("\n".join(lines)))]


def _raised(file: str, function: str, exception: str) -> list[str]:
    return _causes(f'  File "{file}", line 3, in {function}', "    x()", exception)


@pytest.mark.parametrize(
    ("file", "function", "exception", "begins"),
    [
        (f"{SITE}/torch/serialization.py", "_load", "RuntimeError: odd", "Python: a checkpoint"),
        ("/opt/t/io.py", "save_checkpoint", "RuntimeError: odd", "Python: a checkpoint or a"),
        (f"{SITE}/datasets/arrow.py", "get", "RuntimeError: odd", "Python: the data set cannot"),
        (f"{SITE}/triton/compiler.py", "make", "RuntimeError: odd", "Python: a GPU kernel"),
        (f"{SITE}/wandb/run.py", "init", "Exception: odd", "Python: a tracker of experiments"),
        (f"{SITE}/s3fs/core.py", "_ls", "RuntimeError: odd", "Python: S3 or another object store"),
        (
            f"{SITE}/huggingface_hub/a.py",
            "get",
            "RuntimeError: odd",
            "Python: a model or a data set",
        ),
        (f"{SITE}/torch/distributed/run.py", "go", "RuntimeError: odd", "Python: the launcher"),
        (f"{SITE}/torch/distributed/distributed_c10d.py", "f", "ValueError: odd", "Python: ranks"),
        ("/opt/t/arguments.py", "parse_args", "ValueError: odd", "Python: a setting, an argument"),
        (f"{SITE}/trl/trainer.py", "step", "ValueError: odd", "Python: trl does not accept"),
        (
            f"{SITE}/torch/distributed/fsdp/x.py",
            "f",
            "ValueError: odd",
            "Python: FSDP cannot shard",
        ),
        (
            f"{SITE}/deepspeed/runtime/zero/x.py",
            "f",
            "KeyError: 3",
            "Python: ZeRO cannot partition",
        ),
        (
            "/opt/t/a.py",
            "f",
            "KeyError: 'MASTER_PORT'",
            "Python: the environment variable MASTER_PORT",
        ),
        (
            "/opt/t/a.py",
            "f",
            "ValueError: 12 is not divisible by 5",
            "Python: the parallel layout",
        ),
        (
            "/opt/t/a.py",
            "f",
            "FileNotFoundError: [Errno 2] No such file or directory: '/fsx/a'",
            "Python: a file or a folder that the program needs does not exist (/fsx/a)",
        ),
        (
            "/opt/t/a.py",
            "f",
            "subprocess.CalledProcessError: Command '['gizmo', '-x']' returned non-zero exit status 3.",
            "Python: the command gizmo that the program started failed with 3",
        ),
        (
            "/opt/t/a.py",
            "f",
            "subprocess.CalledProcessError: Command '['sudo', 'bash', './utils/gizmo.sh', '-v']' returned "
            "non-zero exit status 100.",
            "Python: the command gizmo.sh that the program started failed with 100",
        ),
        (
            "/opt/t/a.py",
            "f",
            "subprocess.CalledProcessError: Command 'python3 -m gizmo --all' returned non-zero exit "
            "status 1.",
            "Python: the command python3 that the program started failed with 1",
        ),
        (
            "/opt/t/a.py",
            "f",
            "subprocess.CalledProcessError: Command '['sudo', '-u', 'ubuntu', 'bash', './x.sh']' "
            "returned non-zero exit status 1.",
            "Python: the command x.sh that the program started failed with 1",
        ),
        (
            "/opt/t/a.py",
            "f",
            "subprocess.CalledProcessError: Command 'cd /opt && make' returned non-zero exit status 2.",
            "Python: a command that the program started failed with 2",
        ),
        (
            "/opt/t/a.py",
            "f",
            "subprocess.CalledProcessError: Command '['ssh', '10.0.0.7', 'false']' returned non-zero "
            "exit status 1.",
            "Python: the command ssh that the program started failed with 1",
        ),
        (
            "/opt/t/a.py",
            "f",
            "subprocess.CalledProcessError: Command 'ssh -o X=no 10.0.0.7 hostname' returned non-zero "
            "exit status 255.",
            "Python: ssh to 10.0.0.7 failed",
        ),
    ],
)
def test_frames_class_or_words_name_the_kind(
    file: str, function: str, exception: str, begins: str
) -> None:
    (cause,) = _raised(file, function, exception)
    assert cause.startswith(begins)


@pytest.mark.parametrize(
    ("file", "begins"),
    [
        ("/opt/app/start.py", "Python: data or a file cannot be read"),
        ("/opt/t/dataset.py", "Python: the data set cannot be read"),
    ],
)
@pytest.mark.parametrize("frame", [True, False])
def test_damaged_json_is_the_data_sets_only_in_its_code(
    file: str, begins: str, frame: bool
) -> None:
    inner = [
        '  File "/usr/lib/python3.11/json/decoder.py", line 353, in raw_decode',
        "    obj, end = self.scan_once(s, idx)",
    ]
    (cause,) = _causes(
        "Traceback (most recent call last):",
        f'  File "{file}", line 210, in <module>',
        "    settings = json.load(f)",
        *(inner if frame else ()),
        "json.decoder.JSONDecodeError: Expecting property name enclosed in double quotes: line 7",
    )
    assert cause.startswith(begins)


def test_exception_of_no_kind_is_reported_with_its_place() -> None:
    (cause,) = _raised("/opt/t/a.py", "f", "AssertionError: odd")
    assert cause == "a Python program failed (in t/a.py, f): AssertionError: odd"


def test_resource_comes_before_the_place() -> None:
    (cause,) = _raised(f"{SITE}/torch/serialization.py", "save", "OSError: deadline exceeded")
    assert cause.startswith("Python: something did not answer or end in time")


def test_ranks_that_fail_each_in_its_own_words_are_one_finding() -> None:
    lines = []
    for rank in range(4):
        lines += [
            f'[rank{rank}]:   File "/opt/t/a.py", line 3, in f',
            f"[rank{rank}]: ValueError: the shape of {rank} differs",
        ]
    (cause,) = _causes(*lines)
    assert "the shape of 0" in cause


def test_exception_explains_the_collectives_that_wait_for_its_rank() -> None:
    wait = "[rank1]: Watchdog caught collective operation timeout: WorkNCCL(SeqNum=9)"
    raised = ['[rank0]:   File "/opt/t/a.py", line 3, in f', "[rank0]: ValueError: bad shape"]
    (cause,) = _causes(*raised, wait)
    assert cause.startswith("Python: shapes")
    assert len(_causes(wait, *raised)) == 2


def test_report_of_another_process_is_explained_by_its_cause() -> None:
    report = "ray.exceptions.RayActorError: The actor died unexpectedly."
    (alone,) = _raised("/opt/t/a.py", "f", report)
    assert alone.startswith("Ray: a worker, an actor or a node")
    oom = "[2026-10-28 13:00:31,947 E 9 9] (raylet) node_manager.cc:7: workers killed: memory pressure"
    (cause,) = _causes(oom, '  File "/opt/t/a.py", line 3, in f', report)
    assert cause.startswith("raylet: the host's or the container's memory")


def test_exception_that_a_pool_passes_on_is_of_its_own_module() -> None:
    (found,) = _raised(
        "/usr/lib/python3.8/concurrent/futures/_base.py",
        "__get_result",
        "wandb.errors.UsageError: Unable to attach to run 3vghnzj8",
    )
    assert found.startswith("Python: a tracker of experiments")


def test_file_that_takes_no_data_is_a_fault_of_its_file_system() -> None:
    (found,) = _raised(
        f"{SITE}/numpy/lib/format.py", "write_array", "OSError: 120000000 requested and 0 written"
    )
    assert "a file system or its storage" in found


def _traceback(file: str, said: str) -> str:
    return f'Traceback (most recent call last):\n  File "{file}", line 109, in put\n    os.replace(a, b)\n{said}'


@pytest.mark.parametrize(
    ("file", "said"),
    [
        (
            "/env/site-packages/triton/runtime/cache.py",
            "FileNotFoundError: [Errno 2] No such file or directory: '/fsx/c/k.tmp.pid_7' -> '/fsx/c/k'",
        ),
        (
            "/env/site-packages/triton/runtime/cache.py",
            "OSError: [Errno 16] Device or resource busy: '/fsx/c/tmp.pid_7'",
        ),
        (
            "/env/site-packages/torch/_inductor/codecache.py",
            "OSError: [Errno 39] Directory not empty: '/fsx/c/x'",
        ),
    ],
)
def test_cache_of_kernels_that_processes_share(file: str, said: str) -> None:
    (found,) = findings(*of_log(_traceback(file, said)))
    assert "cache of compiled kernels" in found.cause


@pytest.mark.parametrize(
    ("file", "said"),
    [
        (
            "/fsx/train.py",
            "FileNotFoundError: [Errno 2] No such file or directory: '/fsx/data/a.bin'",
        ),
        (
            "/env/site-packages/triton/runtime/cache.py",
            "PermissionError: [Errno 13] Permission denied: '/tmp/triton/a.lock'",
        ),
    ],
)
def test_other_files_are_not_of_the_cache_of_kernels(file: str, said: str) -> None:
    (found,) = findings(*of_log(_traceback(file, said)))
    assert "cache of compiled kernels" not in found.cause
