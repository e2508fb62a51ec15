"""The shared app is what `app.py` writes."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from tests.support.synthesis import ROOT, Assembly


def test_shared_app_is_synthesised_once_and_equals_the_entry(
    synth: Callable[[str | Path], Assembly], tmp_path: Path
) -> None:
    shared = synth("configs/dev.yaml")
    assert synth(ROOT / "configs" / "dev.yaml") is shared
    subprocess.run(
        [sys.executable, "app.py"],
        cwd=ROOT,
        env=os.environ
        | {
            "CLUSTERWRIGHT_ENV": "dev",
            "CLUSTERWRIGHT_NAG": "false",
            "CDK_OUTDIR": os.fspath(tmp_path),
            "CDK_VALIDATION": "false",
        },
        check=True,
    )
    written = {path.name: path.read_bytes() for path in tmp_path.glob("*.template.json")}
    assert written == {
        path.name: path.read_bytes() for path in shared.directory.glob("*.template.json")
    }
    assert shared.resources("AWS::SageMaker::Cluster")
