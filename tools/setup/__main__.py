"""The command line of `make setup`."""

from __future__ import annotations

import argparse
import shutil
import sys
import time

from tools.setup.errors import SetupError
from tools.setup.lock import only_one
from tools.setup.paths import ROOT, VENV
from tools.setup.progress import Progress
from tools.setup.recipe import STEPS
from tools.setup.stamps import (
    first_outdated,
    forget_interruption,
    record,
    running,
    was_interrupted,
)


def main(arguments: list[str] | None = None) -> int:
    """Run the steps that are not current; 0 when all are, 1 when one failed, 130 on Ctrl-C."""
    parser = argparse.ArgumentParser(prog="make setup", description="Build .venv/ in the checkout")
    parser.add_argument(
        "--quiet", action="store_true", help="print nothing when everything is current"
    )
    parser.add_argument(
        "--check", action="store_true", help="change nothing; exit 1 when a step is not current"
    )
    options = parser.parse_args(arguments)
    try:
        with only_one(ROOT / ".clusterwright" / "setup.lock"):
            return _bring_up_to_date(quiet=options.quiet, check=options.check)
    except SetupError as error:
        error.report()
        return 1
    except KeyboardInterrupt:
        print("\nsetup: interrupted; `make setup` continues where it stopped", file=sys.stderr)
        return 130


def _bring_up_to_date(*, quiet: bool, check: bool) -> int:
    started = time.monotonic()
    interrupted = was_interrupted()
    first = 0 if interrupted else first_outdated(STEPS)
    if first == len(STEPS):
        if not quiet:
            print(f"setup: current ({time.monotonic() - started:.2f} s)", file=sys.stderr)
        return 0
    if check:
        print(f"setup: not current: {STEPS[first].title} and later steps", file=sys.stderr)
        return 1
    if interrupted:
        print("setup: the last run was interrupted; rebuilding .venv/", file=sys.stderr)
        shutil.rmtree(VENV, ignore_errors=True)
        forget_interruption()
    progress = Progress(len(STEPS))
    for number, step in enumerate(STEPS[first:], start=first + 1):
        with progress.step(number, step.title), running(step):
            step.run()
            record(STEPS, number - 1)
    print(f"setup: ready in {time.monotonic() - started:.1f} s; see `make help`", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
