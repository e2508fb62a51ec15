"""Programs by the form of their lines."""

from __future__ import annotations

import pytest

from clusterwright.diagnosis.parts import part
from clusterwright.diagnosis.programs import Program, Programs
from clusterwright.diagnosis.signatures.programs import KNOWN
from tests.diagnosis.made import findings, of_log

KNOWN_HERE = Programs(
    (
        Program(
            "the scheduler",
            (r"\bsched\[\d+\]: ",),
            (part("has no room", r"no room"), part("has no key", r"\bkey\b")),
        ),
    )
)


def test_part_and_answer_of_the_system_are_named() -> None:
    assert KNOWN_HERE.error("sched[7]: cannot read the key: Permission denied") == (
        "the scheduler: has no key: it has no permission: sched[7]: cannot read the key: "
        "Permission denied"
    )


@pytest.mark.parametrize(
    "line",
    [
        "other[7]: cannot read the key",
        "sched[7]: read the key",
        "sched[7]: cannot do this",
        "sched[7]: warning: cannot read the key",
        'sched[7]: level=info msg="cannot read the key"',
        'sched[7]: cannot open "the key"',
        "sched[7]: read the key, no other errors, no failed fields",
    ],
)
def test_other_programs_and_what_is_no_failure_are_none(line: str) -> None:
    assert KNOWN_HERE.error(line) is None


def test_fields_of_a_line_are_its_words_also_in_quotes() -> None:
    found = KNOWN_HERE.error('sched[7]: level=error msg="it failed" err="no room"')
    assert found is not None
    assert found.startswith("the scheduler: has no room: ")


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (
            "E0201 10:00:00.000001 1 main.go:22] Invalid configuration detected for "
            "mig-strategy=single: more than one MIG device type present on node",
            "MIG",
        ),
        (
            "2026-11-29 10:00:00 0 [ERROR] Can't start server: Bind on TCP/IP port: Address "
            "already in use",
            "database",
        ),
        (
            'containerd[812]: level=fatal msg="failed to recover state: failed to load bolt '
            'metadata: timeout"',
            "container runtime",
        ),
    ],
)
def test_words_of_slurm_in_other_programs_are_not_slurms(line: str, words: str) -> None:
    (found,) = findings(*of_log(line))
    assert words in found.cause
    assert "Slurm" not in found.cause
    assert "slurm" not in found.cause


TRAINING = """\
2026-11-29 10:00:00,123 [INFO] step 100 loss 2.1
2026-11-29 10:00:01,123 [ERROR] Failed to open /fsx/data/shard_17.bin: Permission denied
2026-11-29 10:00:02 [ERROR] Could not resolve the name of the master: invalid MASTER_PORT
[ERROR] Table 4 of the report: Error 28: No space left on device
[ERROR] Can't read /fsx/index: it is corrupt
"""


def test_errors_of_a_training_program_are_of_no_program_here() -> None:
    for line in TRAINING.splitlines():
        assert KNOWN.of_line(line) is None, line


def test_training_that_may_not_read_a_file_is_no_failure_of_the_database() -> None:
    log = """\
2026-11-29 10:00:00,123 [INFO] step 100 loss 2.1
2026-11-29 10:00:01,123 [ERROR] Failed to open /fsx/data/shard_17.bin: Permission denied
Traceback (most recent call last):
  File "/fsx/train.py", line 20, in load
    with open(path, "rb") as f:
PermissionError: [Errno 13] Permission denied: '/fsx/data/shard_17.bin'
"""
    found = findings(*of_log(log))
    assert {f.cause.partition(": ")[0] for f in found} == {"file permissions"}


def test_damaged_checkpoint_is_no_download_of_the_node() -> None:
    log = """\
[2026-11-29 10:00:01] [ERROR] Failed to read index of /fsx/ckpt/step_900: checksum mismatch
RuntimeError: PytorchStreamReader failed reading zip archive: failed finding central directory
"""
    (found,) = findings(*of_log(log))
    assert found.cause.startswith("a checkpoint cannot be loaded")


def test_training_that_goes_on_after_an_error_has_no_finding() -> None:
    log = """\
2026-11-29 10:00:00,123 [INFO] step 100 loss 2.1
2026-11-29 10:00:01,123 [ERROR] Failed to load shard 17: file is corrupt, skipping to the next
2026-11-29 10:00:02,123 [ERROR] Could not read plugin/errors.yaml, no driver settings
2026-11-29 10:00:03,123 [INFO] trainer: ValidationError rate 0.2, reason: lost rows, workload 3
2026-11-29 10:00:04,123 [INFO] the driver is not ready: waiting for the toolkit
dcgm-exporter: GPU 0 temp 45, no faults, fields config loaded, errors not found
dcgmi health check: Overall Health: Healthy, no field errors
wandb: Synced trainer: https://wandb.ai/x reason: FlavorMissing
kueue workload admitted, not ready yet, is inactive for 3s
2026-11-29 10:00:05,123 [INFO] step 200 loss 2.0
2026-11-29 10:00:06,123 [INFO] training finished
"""
    assert findings(*of_log(log)) == ()


@pytest.mark.parametrize(
    "line",
    [
        'level=error msg="failed to load cni during init, please check CRI plugin status before '
        'setting up network for pods" error="cni config load failed: no network config found in '
        '/etc/cni/net.d: cni plugin not initialized: failed to load cni config"',
        'containerd[812]: time="t" level=warning msg="failed to load plugin" error="no '
        'OpenTelemetry endpoint: skip plugin" type=io.containerd.tracing.processor.v1',
        'containerd[812]: time="t" level=info msg="skip loading plugin" error="path '
        '/var/lib/containerd must be a btrfs filesystem to be used with the btrfs snapshotter"',
        "chronyd[900]: Selected source 169.254.169.123",
        "chronyd[900]: System clock was stepped by 0.000 seconds",
        "mariadbd[900]: 2026-11-29 10:00:00 0 [Note] InnoDB: Resizing redo log; no corruption",
        "mariadbd[900]: 2026-11-29 10:00:00 0 [Warning] InnoDB: io_uring_queue_init() failed",
        "sssd_be[999]: Starting up",
        "I1029 10:00:00.000001 1 factory.go:105] Detected NVML platform: found NVML library",
        "Normal  QuotaReserved  5s  kueue-admission  Quota reserved in ClusterQueue a; Flavors "
        'considered: one: default(NoFit;Flavor "default" does not support TopologyAwareScheduling)',
        '{"level":"INFO","time":"t","logger":"controller","message":"could not find nodeclaim",'
        '"controller":"nodeclaim.lifecycle"}',
        '{"level":"debug","ts":"t","caller":"ipamd/ipamd.go:934","msg":"IMDS request failed, no"}',
        "nvidia-persistenced[1]: Directory /var/run/nvidia-persistenced will not be removed on exit",
        ".:53\n[INFO] plugin/reload: Running configuration MD5 = c011",
    ],
)
def test_lines_of_healthy_programs_are_no_failure(line: str) -> None:
    assert KNOWN.error(line) is None
