"""Runs on a node: start the node program once for each step, and kill it there (SIGKILL).

    cd FOLDER-OF-THE-PROGRAM && python3 - '["step", ...]' OPTION...  <kill_series.py

Every run is a process of its own. It resumes at the step where the run before it was killed,
completes that step, and is killed at the next one (`--only`). With fifty runs that all begin with
the first step, checks of completed steps would take most of the time, and so would starts of
Python: the program is imported once. `OPTION...` are the program's options.

Prints a JSON list of the steps that were not reached, each with the last line of its run. Standard
library only; `Node.kill_program_at_each` sends this file.
"""

from __future__ import annotations

import importlib
import json
import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType


def main(arguments: Sequence[str]) -> None:
    steps = json.loads(arguments[0])
    sys.dont_write_bytecode = True
    sys.path.insert(0, str(Path.cwd()))
    program = importlib.import_module("clusterwright_node.main")
    importlib.import_module("clusterwright_node.catalogue").load_steps()
    unreached: list[tuple[str, str]] = []
    for number, step in enumerate(steps):
        options = [f"--only={name}" for name in steps[max(0, number - 1) : number + 1]]
        last = _run_until(step, program, [*arguments[1:], *options])
        if last is not None:
            unreached.append((step, last))
    print(json.dumps(unreached))


def _run_until(step: str, program: ModuleType, options: Sequence[str]) -> str | None:
    """Kill a run at the start of a step; return its last line if it ended before."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        _become_run(program, options, write)
    os.close(write)
    reached, last = False, ""
    with os.fdopen(read) as lines:
        for line in lines:
            last = line.rstrip("\n")
            if not reached and _starts(line, step):
                os.killpg(child, signal.SIGKILL)
                reached = True
    os.waitpid(child, 0)
    return None if reached else last


def _become_run(program: ModuleType, options: Sequence[str], output: int) -> None:
    os.setsid()
    os.dup2(output, 1)
    os.dup2(output, 2)
    os.close(output)
    try:
        code = program.main(list(options))
    except BaseException as error:  # noqa: BLE001  the child must end here
        print(f"{type(error).__name__}: {error}", flush=True)
        os._exit(70)
    os._exit(code)


def _starts(line: str, step: str) -> bool:
    try:
        event = json.loads(line)
    except ValueError:
        return False
    return isinstance(event, dict) and event.get("event") == "start" and event.get("step") == step


if __name__ == "__main__":
    main(sys.argv[1:])
