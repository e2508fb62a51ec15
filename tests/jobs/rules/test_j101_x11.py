"""CW-J101: X11 forwarding is used only where slurm.conf has it."""

from __future__ import annotations

from tests.jobs.made import HEAD, SPEC, fails, passes

PARTITIONS = SPEC["slurm"]["partitions"]


def test_forwarding_that_slurm_conf_does_not_have() -> None:
    assert fails("CW-J101", HEAD + "srun --x11 nsys-ui\n").severity == "warning"
    fails("CW-J101", HEAD + "srun --x11=first nsys-ui\n")
    passes("CW-J101", HEAD + "srun nsys-ui\n")


def test_slurm_conf_of_hyperpod_is_not_known() -> None:
    partitions = [{"name": one["name"], "groups": one["groups"]} for one in PARTITIONS]
    managed = {**SPEC, "slurm": {"configuration": "managed", "partitions": partitions}}
    passes("CW-J101", HEAD + "srun --x11 nsys-ui\n", managed)
