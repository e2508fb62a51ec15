"""CW-J056: The script waits for its steps in the background."""

from __future__ import annotations

import pytest

from tests.jobs.made import HEAD, fails, passes


@pytest.mark.parametrize(
    "text",
    [
        "srun a &",
        "srun a &\nPID=$!\necho started",
        "srun a | tee -a log &\ntrap 'kill $!' TERM",
        "(srun a; srun b) &",
        "stop() {\n  wait $PID\n}\ntrap stop USR1\nsrun a &\nPID=$!",
        "trap 'rm -rf /tmp/a' EXIT\nsrun a &",
        "clean() { rm -rf /tmp/a; }\ntrap clean EXIT\nsrun a &",
    ],
)
def test_nothing_waits(text: str) -> None:
    assert fails("CW-J056", HEAD + text + "\n").severity == "error"


def test_in_a_branch() -> None:
    assert fails("CW-J056", HEAD + "if a; then\n  srun a &\nfi\n").severity == "warning"


@pytest.mark.parametrize(
    "text",
    [
        "srun a &\nwait",
        "srun a & wait $!",
        "for n in a b; do srun -w $n a & done\nwait",
        "{ srun a & wait; } &\nwait",
        "srun a &\nsrun b",
        "srun a &\nwhile kill -0 $!; do sleep 5; done",
        "srun a &\ntail --pid=$! -f log",
        "run() { srun a & wait $!; }\nrun",
        "trap 'wait' EXIT\nsrun a &",
        "trap wait 0\nsrun a &",
        "finish() { wait; }\ntrap finish EXIT\nsrun a &",
        "finish() { wait; }\nend() { finish; }\ntrap 'echo end; end' SIGTERM EXIT\nsrun a &",
        "srun a",
    ],
)
def test_something_waits(text: str) -> None:
    passes("CW-J056", HEAD + text + "\n")
