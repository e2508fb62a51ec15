"""One synthesised app per config, shared by all tests of a run."""

from __future__ import annotations

import json
import os
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
    """`synth("configs/dev.yaml")`: what `app.py` builds from it, in this process and once.

    cdk-nag and the CDK's own validation are off here: they take seconds per app and have tests of
    their own. The CDK is imported at the first call only.
    """
    done: dict[Path, Assembly] = {}

    def call(config: str | Path) -> Assembly:
        path = (ROOT / config).resolve()
        if path not in done:
            done[path] = _synthesise(path, tmp_path_factory.mktemp(path.stem))
        return done[path]

    return call


@pytest.fixture(scope="session")
def build(
    tmp_path_factory: pytest.TempPathFactory, synth: Callable[[str | Path], Assembly]
) -> Build:
    """`build(spec)`: the assembly of a spec given as data, made once per run."""
    folder = tmp_path_factory.mktemp("specs")
    paths: dict[str, Path] = {}

    def call(spec: dict[str, Any]) -> Assembly:
        # JSON is YAML.
        text = json.dumps(spec, indent=2)
        if text not in paths:
            paths[text] = folder / f"spec-{len(paths)}.yaml"
            paths[text].write_text(text, encoding="utf-8")
        return synth(paths[text])

    return call


def _synthesise(config: Path, directory: Path) -> Assembly:
    import stacks
    from clusterwright.platforms.loading import load_cluster

    loaded = load_cluster(config)
    app = stacks.open_app(directory, builtin_cloud_formation_validation=False)
    stacks.build(app, loaded)
    app.synth()
    templates = {
        path.name.removesuffix(".template.json"): json.loads(path.read_text())
        for path in sorted(directory.glob("*.template.json"))
    }
    assert templates, f"{os.fspath(config)} gives no stacks"
    return Assembly(directory, templates)
