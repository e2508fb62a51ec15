"""Handlers of `trap`, with the functions that they call."""

from __future__ import annotations

from clusterwright.jobs.job_file import read_job
from clusterwright.jobs.traps import signal_name, traps

TEXT = """#!/bin/bash
end() { kill -$1 $pid; again; }
again() { wait; again; }
trap 'echo a; end TERM' SIGUSR1 15
trap -- "end" EXIT
trap '' HUP
trap - INT
trap QUIT
"""


def test_traps() -> None:
    found = [
        (sorted(trap.signals), [" ".join(w.text for w in one.words) for one in trap.commands])
        for trap in traps(read_job(TEXT, "job.sbatch"))
    ]
    assert found == [
        (["TERM", "USR1"], ["echo a", "kill -TERM ${pid}", "wait"]),
        (["EXIT"], ["kill -${1} ${pid}", "wait"]),
    ]


def test_a_handler_that_the_file_does_not_determine() -> None:
    (trap,) = traps(read_job('#!/bin/bash\ntrap "$A" USR1\n', "job.sbatch"))
    assert not trap.known


def test_names_of_signals() -> None:
    assert [signal_name(text) for text in ("0", "10", "sigterm", "USR2")] == [
        "EXIT",
        "USR1",
        "TERM",
        "USR2",
    ]
