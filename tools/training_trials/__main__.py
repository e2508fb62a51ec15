"""`python -m tools.training_trials ENVIRONMENT`: try the rendered FSDP2 job with PyTorch on CPUs.

ENVIRONMENT is a Python virtual environment with PyTorch 2.6 or newer and NumPy:
`python3 -m venv ENVIRONMENT; ENVIRONMENT/bin/pip install torch numpy`. The job file is the one
that `clusterwright render jobs configs/dev.yaml --job fsdp2` writes, with other sizes and folders.
`slurm/` has substitutes for srun, scancel and scontrol; processes communicate with gloo. A run
takes some minutes. Exits with 1 if something was seen that the job does not promise.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tools.training_trials.job import TrialError, write_tokens
from tools.training_trials.trials import Trials, trials


def main(arguments: list[str] | None = None) -> int:
    """Run the trials; print what was seen, a line for each."""
    parser = argparse.ArgumentParser(
        prog="python -m tools.training_trials",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("environment", type=Path, metavar="ENVIRONMENT")
    parser.add_argument("--only", metavar="TEXT", help="only trials whose name contains TEXT")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="write to FOLDER, and keep it")
    options = parser.parse_args(arguments)
    environment = options.environment.absolute()
    version = subprocess.run(
        [environment / "bin/python", "-c", "import torch; print(torch.__version__)"],
        capture_output=True,
        text=True,
        check=False,
    )
    if version.returncode != 0:
        parser.error(f"{environment} does not import PyTorch: {version.stderr.strip()[-500:]}")
    failed = 0
    with tempfile.TemporaryDirectory(prefix="clusterwright-trials-") as temporary:
        folder = options.keep.absolute() if options.keep else Path(temporary)
        count = write_tokens(folder / "data/tokens")
        print(f"PyTorch {version.stdout.strip()}, gloo, 2 processes, {count} tokens", flush=True)
        place = Trials(folder, environment)
        for trial in trials():
            name = trial.__name__.replace("_", " ")
            if options.only and options.only not in name:
                continue
            began = time.monotonic()
            try:
                seen = trial(place)
            except TrialError as error:
                failed += 1
                seen = f"FAILED: {error}"
            print(f"{name}: {seen} ({time.monotonic() - began:.0f} s)", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
