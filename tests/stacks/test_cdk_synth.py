"""`python app.py` and `cdk synth` write the same bytes, without an account."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.synthesis import ROOT

FLAGS = ("-c", "env=staging", "--no-notices", "--quiet")
OFF = {"CDK_VALIDATION": "false", "CLUSTERWRIGHT_NAG": "false"}


def files(directory: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in directory.glob("*.template.json")}


def run(command: list[str], **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command,
        cwd=ROOT,
        env=os.environ | OFF | environment,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture(scope="module")
def cdk_assembly(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("cdk") / "out"
    done = run(["cdk", "synth", *FLAGS, "--output", os.fspath(directory)])
    assert done.returncode == 0, done.stderr
    return directory


def test_app_and_cdk_synth_write_the_same_templates_and_assets(
    cdk_assembly: Path, tmp_path: Path
) -> None:
    done = run(
        [sys.executable, "app.py"], CDK_OUTDIR=os.fspath(tmp_path), CLUSTERWRIGHT_ENV="staging"
    )
    assert done.returncode == 0, done.stderr
    assert files(tmp_path) == files(cdk_assembly)
    assert len(files(tmp_path)) == 7
    assets = "*.assets.json"
    assert {p.name: p.read_bytes() for p in tmp_path.glob(assets)} == {
        p.name: p.read_bytes() for p in cdk_assembly.glob(assets)
    }


def test_app_and_cdk_synth_write_the_same_parallelcluster_templates(tmp_path: Path) -> None:
    """Its configuration is a property with tokens, its provider a nested stack."""
    name = "dev-parallelcluster"
    by_cli, by_python = tmp_path / "cli", tmp_path / "python"
    flags = ("-c", f"env={name}", "--no-notices", "--quiet", "--output", os.fspath(by_cli))
    done = run(["cdk", "synth", *flags])
    assert done.returncode == 0, done.stderr
    done = run([sys.executable, "app.py"], CDK_OUTDIR=os.fspath(by_python), CLUSTERWRIGHT_ENV=name)
    assert done.returncode == 0, done.stderr
    assert files(by_python) == files(by_cli)
    assert f"{name}-cluster.template.json" in files(by_cli)


def test_synthesis_is_deterministic(cdk_assembly: Path, synth, tmp_path: Path) -> None:
    assert files(synth("configs/staging.yaml").directory) == files(cdk_assembly)


def test_templates_contain_no_local_paths_or_cdk_metadata(
    cdk_assembly: Path,
) -> None:
    for name, content in files(cdk_assembly).items():
        text = content.decode()
        assert os.fspath(ROOT) not in text, name
        assert "aws:cdk:path" not in text, name
        assert "AWS::CDK::Metadata" not in text, name


def test_no_context_lookup_is_needed(cdk_assembly: Path) -> None:
    manifest = json.loads((cdk_assembly / "manifest.json").read_text())
    assert not manifest.get("missing")


def test_invalid_spec_fails_cdk_synth_with_the_problems(tmp_path: Path) -> None:
    path = tmp_path / "wrong.yaml"
    path.write_text("environment: x\nregionn: us-east-1\n", encoding="utf-8")
    out = tmp_path / "out"
    done = run(["cdk", "synth", "-c", f"config={path}", "--quiet", "--output", os.fspath(out)])
    assert done.returncode != 0
    assert f"error: {path}:2:1: " in done.stderr
    assert "Traceback" not in done.stderr
    assert not list(out.glob("*.template.json"))


def test_feature_flags_are_the_recommended_ones_except_two() -> None:
    """The CDK's list is in the package; a flag of a newer CDK must be decided, not missed."""
    import importlib.metadata
    import io
    import tarfile

    archive = next(
        f
        for f in importlib.metadata.files("aws-cdk-lib") or []
        if f.name.startswith("aws-cdk-lib@") and f.name.endswith(".jsii.tgz")
    )
    content = Path(str(archive.locate())).read_bytes()
    with tarfile.open(fileobj=io.BytesIO(content)) as package:
        member = package.extractfile("package/recommended-feature-flags.json")
        assert member is not None
        recommended = json.load(member)
    chosen = json.loads((ROOT / "cdk.json").read_text())["context"]
    flags = recommended.keys() | chosen.keys()
    assert {flag for flag in flags if recommended.get(flag) != chosen.get(flag)} == {
        # Exports: a stack cannot be deleted while others import them.
        "@aws-cdk/core:defaultCrossStackReferences",
        # GovCloud as well.
        "@aws-cdk/core:target-partitions",
    }
