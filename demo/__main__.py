"""The command line of `make demo`."""

from __future__ import annotations

import argparse
import signal
import sys
import tempfile
import time
from pathlib import Path
from types import FrameType

from demo.platform_story import PLATFORMS, tell_of
from demo.shell import Shell, StepFailed
from demo.story import tell

_DEFAULT = "hyperpod-slurm"


def main() -> int:
    """Tell the story; 0 when every step did what it should, 130 on Ctrl-C, else 1."""
    parser = argparse.ArgumentParser(prog="demo", description="A cluster on the local AWS.")
    parser.add_argument(
        "--platform",
        choices=[_DEFAULT, *PLATFORMS],
        default=_DEFAULT,
        help="what runs the cluster",
    )
    platform = parser.parse_args().platform
    signal.signal(signal.SIGTERM, _interrupt)
    started = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="clusterwright-demo-") as folder, Shell() as shell:
        try:
            if platform == _DEFAULT:
                tell(shell, Path(folder))
            else:
                tell_of(platform, shell, Path(folder))
        except StepFailed as failure:
            print(f"\ndemo: failed: {failure}", flush=True)
            return 1
        except KeyboardInterrupt:
            print("\ndemo: interrupted; everything that it started has been ended", flush=True)
            return 130
    print(f"\ndemo: done in {time.monotonic() - started:.0f} s; nothing is left running")
    return 0


def _interrupt(number: int, frame: FrameType | None) -> None:
    del number, frame
    raise KeyboardInterrupt


if __name__ == "__main__":
    sys.exit(main())
