"""Consequences and normal messages are never findings."""

from __future__ import annotations

import pytest

from tests.diagnosis.made import findings, of_log, signature_of


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("stack-event", "Resource creation cancelled"),
        ("stack-event", "The following resource(s) failed to create: [A, B]. Rollback requested."),
        ("stack-event", "Embedded stack arn:aws:x was not successfully created: see its events"),
        ("scheduler-node", "clusterwright: acceptance: new"),
        (
            "log",
            '{"level":"error","msg":"error received after stop sequence was engaged",'
            '"error":"leader election lost"}',
        ),
        ("log", "[2026-11-23T08:00:00.000] error: chdir(/var/log/slurm): Permission denied"),
        ("log", "efa 0000:a0:1a.0: Failed to process command DEREG_MR (opcode 8) err -22"),
        ("log", "ERROR  ENC:recv  Timeout waiting for RX (waited 120 sec) - retrying"),
        (
            "log",
            "By default, for Open MPI 4.0 and later, infiniband ports on a device are not used by "
            "default.",
        ),
        ("log", "WARNING: There was an error initializing an OpenFabrics device."),
        (
            "log",
            "  Normal   NotTriggerScaleUp  9m (x9 over 1h)  cluster-autoscaler  pod didn't trigger "
            "scale-up: 1 node(s) didn't match node selector",
        ),
        (
            "log",
            "slurmctld: error: If using PrologFlags=Contain for pam_slurm_adopt, either "
            "proctrack/cgroup or proctrack/cray_aries is required.",
        ),
        ("log", "2019-07-19T17:40:34Z [INFO]     Exceeded instance ENI attachment limit: 7"),
        (
            "log",
            '"Retrieving IMDS metadata failed" err="could not get EC2 instance identity metadata: '
            'operation error ec2imds: GetInstanceIdentityDocument, context deadline exceeded"',
        ),
        (
            "log",
            "failed to retrieve it from ec2 metadata; retrieving instance data from kubernetes api",
        ),
        ("log", "infiniband efa_0: Failed to de-register mr(lkey-7) [-22]"),
        ("log", "attempt 1 of 4 failed, next in 2 s: mount.lustre: Connection timed out"),
    ],
)
def test_consequence_is_no_finding(kind: str, text: str) -> None:
    assert signature_of(kind, text) == ()


@pytest.mark.parametrize(
    "text",
    [
        "error: cannot find acct_gather_energy plugin for acct_gather_energy/rapl2",
        "fatal: cannot create acct_gather_energy context for acct_gather_energy/rapl",
        "error: Couldn't load specified plugin name for acct_gather_energy/gpu: Dlopen of plugin "
        "file failed",
    ],
)
def test_plug_in_for_energy_that_cannot_be_loaded_ends_slurmd(text: str) -> None:
    (found,) = findings(*of_log(f"[2026-11-28T10:00:00.001] {text}"))
    assert "a plug-in cannot be loaded" in found.cause
