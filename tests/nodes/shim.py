"""Run as a command on PATH: answers from the fake machine in CLUSTERWRIGHT_TEST_WORLD."""

from __future__ import annotations

import os
import sys
from pathlib import Path

sys.path[:0] = [
    str(Path(__file__).parents[2] / "lifecycle_scripts"),
    str(Path(__file__).parents[2]),
]

from tests.nodes.fake_machine import FakeMachine  # noqa: E402 - needs the paths above

result = FakeMachine(Path(os.environ["CLUSTERWRIGHT_TEST_WORLD"])).execute(sys.argv[1:], 60)
sys.stdout.write(result.stdout)
sys.stderr.write(result.stderr)
sys.exit(result.returncode)
