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
