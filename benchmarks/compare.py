"""Measures two operations alternately, so that other load affects both and not their ratio."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]

Timed = Callable[[], float]
"""Run the operation once and return its seconds; raises RuntimeError if it fails."""


@dataclass(frozen=True)
class Comparison:
    """An operation of Clusterwright, compared with a well-known one.

    `target_ratio` and `target_seconds` are what we aim at; they are shown and never enforced,
    since an absolute time says as much about the machine as about us.
    """

    name: str
    ours: Timed
    beside: Timed
    beside_name: str
    target_ratio: float | None = None
    target_seconds: float | None = None
    most_runs: int | None = None
    unit: str = "s"


@dataclass(frozen=True)
class Result:
    """Seconds of every run, in order."""

    comparison: Comparison
    ours: tuple[float, ...] = field(default=())
    beside: tuple[float, ...] = field(default=())

    @property
    def ours_seconds(self) -> float:
        """Median of our runs."""
        return statistics.median(self.ours)

    @property
    def beside_seconds(self) -> float:
        """Median of the other's runs."""
        return statistics.median(self.beside)

    @property
    def ratio(self) -> float:
        """Ratio of the medians: ours divided by the other."""
        return self.ours_seconds / self.beside_seconds


def measure(comparison: Comparison, runs: int) -> Result:
    """One unmeasured run of each to warm the caches, then `runs` of each in turn."""
    if comparison.most_runs is not None:
        runs = min(runs, comparison.most_runs)
    comparison.beside()
    comparison.ours()
    ours, beside = [], []
    for _ in range(runs):
        beside.append(comparison.beside())
        ours.append(comparison.ours())
    return Result(comparison, tuple(ours), tuple(beside))


def command(
    *words: str,
    environment: Mapping[str, str] | None = None,
    exit_codes: Sequence[int] = (0,),
    before: Callable[[], None] | None = None,
) -> Timed:
    """A command run in the repository's root; `before` is not timed."""

    def once() -> float:
        if before is not None:
            before()
        started = time.perf_counter()
        finished = subprocess.run(
            words,
            cwd=ROOT,
            env=base_environment() | dict(environment or {}),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        seconds = time.perf_counter() - started
        if finished.returncode not in exit_codes:
            tail = "\n".join(finished.stdout.strip().splitlines()[-8:])
            raise RuntimeError(f"`{' '.join(words)}` exited with {finished.returncode}:\n{tail}")
        return seconds

    return once


def base_environment() -> dict[str, str]:
    """The environment without variables that affect the measurement or select an AWS account.

    Python may keep what it compiles, as it does for whoever installs a program: otherwise a run
    would compile each file that was changed last, ours or another's.
    """
    environment = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("AWS_", "CDK_", "CLUSTERWRIGHT_", "JSII_"))
        and name != "PYTHONDONTWRITEBYTECODE"
    }
    programs = Path(sys.executable).parent
    environment["PATH"] = f"{programs}{os.pathsep}{environment.get('PATH', os.defpath)}"
    # The same Node for every app that is compared.
    environment["JSII_NODE"] = os.fspath(programs / "node")
    return environment
