"""One synthesised app per config, shared by all tests of a run."""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Assembly:
    """A cloud assembly on disk, and its templates as plain data by stack name."""

    directory: Path
    templates: dict[str, dict[str, Any]]

    def resources(self, kind: str) -> dict[str, dict[str, Any]]:
        """Every resource of one CloudFormation type, as `<stack>/<logical id>`."""
        return {
            f"{stack}/{name}": resource
            for stack, template in self.templates.items()
            for name, resource in template.get("Resources", {}).items()
            if resource["Type"] == kind
        }


Build = Callable[[dict[str, Any]], Assembly]


@pytest.fixture(scope="session")
def synth(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str | Path], Assembly]:
    """`synth("configs/dev.yaml")`: what `app.py` builds from it, once per test run.

    The processes of a run share the assemblies through the run's temporary folder. cdk-nag and the
    CDK's own validation are off here: they take seconds per app and have tests of their own. The
    CDK is imported only to build.
    """
    folder = _run_folder(tmp_path_factory) / "assemblies"
    done: dict[Path, Assembly] = {}

    def call(config: str | Path) -> Assembly:
        path = (ROOT / config).resolve()
        if path not in done:
            done[path] = _shared(path, folder / _digest(os.fspath(path)))
        return done[path]

    return call


@pytest.fixture(scope="session")
def build(
    tmp_path_factory: pytest.TempPathFactory, synth: Callable[[str | Path], Assembly]
) -> Build:
    """`build(spec)`: the assembly of a spec given as data, made once per run."""
    folder = _run_folder(tmp_path_factory) / "specs"

    def call(spec: dict[str, Any]) -> Assembly:
        # JSON is YAML.
        text = json.dumps(spec, indent=2)
        path = folder / _digest(text) / "spec.yaml"
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            temporary = path.with_name(f"{os.getpid()}.yaml")
            temporary.write_text(text, encoding="utf-8")
            temporary.replace(path)
        return synth(path)

    return call


def _run_folder(factory: pytest.TempPathFactory) -> Path:
    """The temporary folder of the whole run; the folders of xdist's workers are in it."""
    folder = factory.getbasetemp()
    return folder.parent if "PYTEST_XDIST_WORKER" in os.environ else folder


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _shared(config: Path, folder: Path) -> Assembly:
    """The assembly in `folder`, built by the first process that needs it; others wait for it."""
    directory, complete = folder / "cdk.out", folder / "complete"
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not complete.exists():
            shutil.rmtree(directory, ignore_errors=True)
            _synthesise(config, directory)
            complete.touch()
    templates = {
        path.name.removesuffix(".template.json"): json.loads(path.read_text())
        for path in sorted(directory.glob("*.template.json"))
    }
    assert templates, f"{os.fspath(config)} gives no stacks"
    return Assembly(directory, templates)


def _synthesise(config: Path, directory: Path) -> None:
    import stacks
    from clusterwright.platforms.loading import load_cluster

    loaded = load_cluster(config)
    app = stacks.open_app(directory, builtin_cloud_formation_validation=False)
    stacks.build(app, loaded)
    app.synth()
