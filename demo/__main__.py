"""The command line of `make demo`."""

from __future__ import annotations

import argparse
import os
import signal
import sys
import tempfile
import time
from pathlib import Path
from types import FrameType

from demo import hyperpod_slurm, other_platforms
from demo.other_platforms import PLATFORMS
from demo.shell import Shell, StepFailed

_DEFAULT = "hyperpod-slurm"
_SUMMARY = """
== Summary ==

{commands} commands had the expected result: a cluster on {platform} was checked, priced,
deployed, changed and deleted, without an AWS account.
The complete output is in {log}
Next: your own cluster, with `clusterwright init --help` or the tutorial in docs/tutorial/.
"""


def main() -> int:
    """Run the demo; return 0 if every step succeeded, 130 on Ctrl-C, else 1."""
    parser = argparse.ArgumentParser(prog="demo", description="A cluster on the local AWS.")
    parser.add_argument(
        "--platform",
        choices=[_DEFAULT, *PLATFORMS],
        default=_DEFAULT,
        help="the platform of the cluster",
    )
    platform = parser.parse_args().platform
    signal.signal(signal.SIGTERM, _interrupt)
    started = time.monotonic()
    log = _log_file()
    with tempfile.TemporaryDirectory(prefix="clusterwright-demo-") as folder, Shell(log) as shell:
        try:
            if platform == _DEFAULT:
                hyperpod_slurm.run_demo(shell, Path(folder))
            else:
                other_platforms.run_demo(platform, shell, Path(folder))
        except StepFailed as failure:
            print(f"\ndemo: failed: {failure}\ndemo: the complete output is in {log}", flush=True)
            return 1
        except KeyboardInterrupt:
            print("\ndemo: interrupted; all started processes have been ended", flush=True)
            return 130
    print(_SUMMARY.format(commands=shell.commands, platform=platform, log=log))
    print(f"demo: done in {time.monotonic() - started:.0f} s; nothing is left running")
    return 0


def _log_file() -> Path:
    """A new file for the complete output; it stays."""
    handle, path = tempfile.mkstemp(prefix="clusterwright-demo-", suffix=".log")
    os.close(handle)
    return Path(path)


def _interrupt(number: int, frame: FrameType | None) -> None:
    del number, frame
    raise KeyboardInterrupt


if __name__ == "__main__":
    sys.exit(main())
