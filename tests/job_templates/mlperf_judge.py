"""The package mlperf-logging, in its own environment: rules, and the compliance checker."""

from __future__ import annotations

import functools
import subprocess
from pathlib import Path

from tools.setup import clients

CLIENT = "mlperf"


@functools.cache
def python() -> Path:
    """The Python that has the package; installed here if `make test` did not."""
    clients.bring_up_to_date([CLIENT])
    return clients.program(CLIENT)


def rules_of(name: str) -> Path:
    """A file or folder of the package."""
    (package,) = python().parent.parent.glob("lib/python*/site-packages/mlperf_logging")
    return package / name


def judged(log: Path, ruleset: str) -> tuple[bool, str]:
    """Whether the compliance checker accepts a log, and what it says."""
    done = subprocess.run(
        [
            str(python()),
            "-m",
            "mlperf_logging.compliance_checker",
            "--usage=training",
            f"--ruleset={ruleset}",
            "--log_output=/dev/null",
            str(log),
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    output = done.stdout + done.stderr
    return "SUCCESS" in output and done.returncode == 0, output
