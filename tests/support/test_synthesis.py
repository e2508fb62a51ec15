"""The shared app is what `app.py` writes."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.support import synthesis
from tests.support.synthesis import ROOT, Assembly


def test_processes_share_assemblies(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The second process, and one that waits while the first builds, read what is there."""
    builds = []

    def synthesise(config: Path, directory: Path) -> None:
        builds.append(config)
        directory.mkdir()
        (directory / "dev-a.template.json").write_text('{"Resources": {}}')

    monkeypatch.setattr(synthesis, "_synthesise", synthesise)
    config, folder = tmp_path / "spec.yaml", tmp_path / "assembly"
    with ThreadPoolExecutor() as pool:
        found = list(pool.map(lambda _: synthesis._shared(config, folder), range(4)))
    assert builds == [config]
    assert {assembly.directory for assembly in found} == {folder / "cdk.out"}
    assert found[0].templates == {"dev-a": {"Resources": {}}}


def test_incomplete_assembly_is_built_again(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A process was killed while it built."""

    def synthesise(_: Path, directory: Path) -> None:
        directory.mkdir()
        (directory / "dev-b.template.json").write_text("{}")

    monkeypatch.setattr(synthesis, "_synthesise", synthesise)
    (tmp_path / "cdk.out").mkdir()
    (tmp_path / "cdk.out" / "dev-a.template.json").write_text("{")
    assert synthesis._shared(tmp_path / "spec.yaml", tmp_path).templates == {"dev-b": {}}


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
