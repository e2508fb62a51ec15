"""Verdicts with entries of every kind, and with hostile text."""

from __future__ import annotations

import dataclasses
from typing import Any

from clusterwright_rehearsal.verdict import (
    NodeResult,
    Phase,
    Promise,
    Skipped,
    StepResult,
    Verdict,
)

START = 1_790_000_000.0
HOSTILE = "</title><script>alert(1)</script>\"'&<img src=x onerror=alert(1)>\x1b[31m\x00\u202e"


def node(
    name: str, number: int, seconds: float | None = 9.5, status: str = "running"
) -> NodeResult:
    return NodeResult(
        name=name,
        host=f"ip-10-0-0-{number}",
        group=name.rpartition("-")[0],
        role="Compute",
        instance_type="p5.4xlarge",
        instance_id=f"i-{number:017x}",
        address=f"10.0.0.{number}",
        status=status,
        seconds=seconds,
        log=None,
    )


def event(at: float, name: str, of: str, **more: Any) -> dict[str, Any]:
    return {"time": START + at, "event": name, "node": of, "instance_id": "i-1", **more}


def boot_events(of: str, at: float = 20.0) -> list[dict[str, Any]]:
    return [
        event(at, "created", of),
        event(at + 2.5, "booted", of, seconds=2.5),
        event(at + 6.0, "platform", of, seconds=3.5),
        event(at + 9.5, "running", of, action="create", seconds=9.5),
    ]


BROKEN = Verdict(
    config="configs/dev.yaml",
    cluster="dev",
    suite="trixie",
    slurm="slurm-wlm 24.11.5",
    promises=(
        Promise("deployment.deploys", "deployment", "cdk deploys every stack", "held", 20.0),
        Promise("first-boot.running", "first-boot", "every node is Running", "held", 0.5),
        Promise(
            "node-lost.requeued",
            "node-lost",
            "the job runs again by itself",
            "broken",
            150.25,
            "after 150 s: job 3 is PENDING (Resources)\non nothing",
        ),
        Promise(
            "node-lost.back", "node-lost", "it comes back", "unknown", None, "not reached: job 3"
        ),
    ),
    nodes=(node("controller-1", 16), node("workers-1", 18), node("workers-2", 19, 3.0, "failed")),
    steps=(
        StepResult("workers-1", "identify", "applied", 0.5, None, START + 26.6),
        StepResult("workers-1", "lustre", "applied", 2.5, None, START + 29.2),
        StepResult("workers-2", "identify", "applied", 0.4, None, START + 26.5),
        StepResult("workers-2", "lustre", "failed", 1.5, "/fsx is silent", START + 28.0),
    ),
    skipped=(Skipped("scale", "it is not for the scripted configuration"),),
    notes=("group workers has 2 instead of 64 nodes",),
    phases=(
        Phase("node image", 0.1, START),
        Phase("deployment", 30.0, START + 0.2),
        Phase("first-boot", 1.5, START + 30.2),
        Phase("node-lost", 150.3, START + 31.7),
    ),
    timeline=(
        *boot_events("controller-1"),
        *boot_events("workers-1"),
        *boot_events("workers-2")[:-1],
        event(28.5, "failed", "workers-2", text="lustre: /fsx is silent", seconds=8.5),
        event(40.0, "lost", "workers-1"),
        event(48.0, "replaced", "workers-1"),
        event(51.0, "booted", "workers-1", seconds=3.0),
        event(53.0, "platform", "workers-1", seconds=2.0),
        event(57.0, "running", "workers-1", action="replace", seconds=9.0),
    ),
    failure_logs=(("workers-2", "lustre: failed: /fsx is silent\nlustre failed: mount it"),),
)
HELD = dataclasses.replace(
    BROKEN,
    promises=BROKEN.promises[:2],
    skipped=(),
    notes=(),
    failure_logs=(),
    not_covered=(),
)
NO_NODES = Verdict(
    config="configs/dev.yaml",
    cluster="dev",
    suite="trixie",
    slurm=None,
    promises=(
        HELD.promises[0],
        Promise(
            "first-boot.running",
            "first-boot",
            "every node is Running",
            "unknown",
            None,
            "emulated nodes require root",
        ),
    ),
)


def hostile() -> Verdict:
    """Every text that comes from outside is an attack."""
    bad = HOSTILE
    return Verdict(
        config=bad,
        cluster=bad,
        suite=bad,
        slurm=bad,
        promises=(Promise(f"{bad}.{bad}", bad, bad, "broken", 1.0, f"{bad}\n{bad}"),),
        nodes=(
            dataclasses.replace(node(bad, 1), host=bad, role=bad, instance_type=bad, address=bad),
        ),
        steps=(
            StepResult(bad, bad, bad, 1.0, bad, START + 29.0),
            StepResult(bad, "failing", "failed", 1.0, bad, START + 29.0),
        ),
        skipped=(Skipped(bad, bad),),
        notes=(bad,),
        phases=(Phase(bad, 90.0, START),),
        timeline=(
            *boot_events(bad),
            event(40.0, "failed", bad, text=bad),
            event(41.0, bad, bad),
            {"time": "soon", "event": bad, "node": bad},
            {},
        ),
        failure_logs=((bad, f"{bad}\n{bad}"),),
        not_covered=(bad,),
    )
