"""Scripts under a prefix that is the digest of their contents."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

import stacks
from clusterwright.platforms.loading import load_cluster
from stacks.base import names
from stacks.lifecycle import scripts
from tests.stacks.templates import cluster_of, deployed_file, only, text_of
from tests.support.rich_specs import MINIMAL, PARALLELCLUSTER, changed
from tests.support.synthesis import ROOT, Assembly, Build


def prefix_of(assembly: Assembly) -> str:
    found: str = only(assembly, "Custom::CDKBucketDeployment")["DestinationBucketKeyPrefix"]
    return found


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    copy = tmp_path / "scripts"
    shutil.copytree(scripts.FOLDER, copy, ignore=shutil.ignore_patterns("__pycache__", ".*"))
    return copy


def shipped_files(folder: Path, outdir: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, bytes]:
    monkeypatch.setattr(scripts, "FOLDER", folder)
    app = stacks.open_app(outdir, builtin_cloud_formation_validation=False)
    stacks.build(app, load_cluster(ROOT / "configs" / "dev.yaml"))
    app.synth()
    (asset,) = {path.parent for path in outdir.glob("asset.*/on_init_complete.sh")}
    return {
        str(p.relative_to(asset.parent)): p.read_bytes() for p in asset.rglob("*") if p.is_file()
    }


STEP = "configs/examples/steps/memlock.py"


def test_every_group_uses_the_deployed_prefix(build: Build) -> None:
    assembly = build(MINIMAL)
    for group in cluster_of(assembly)["InstanceGroups"]:
        uri = group["LifeCycleConfig"]["SourceS3Uri"]["Fn::Join"][1]
        assert uri[0] == "s3://"
        assert "test-lifecycle" in uri[1]["Fn::ImportValue"]
        assert uri[2] == f"/{prefix_of(assembly)}/"


def test_bucket_names_differ_between_accounts_and_regions() -> None:
    class Spec:
        environment = "prod"

        def __init__(self, account: str, region: str) -> None:
            self.account, self.region = account, region

    found = {
        names.lifecycle_bucket(Spec(account, region))  # type: ignore[arg-type]
        for account in ("111122223333", "444455556666")
        for region in ("us-east-1", "us-east-2")
    }
    assert len(found) == 4


def test_changed_cluster_json_changes_prefix_and_template(build: Build) -> None:
    before, after = build(MINIMAL), build(changed(MINIMAL, compute__1__spare_count=1))
    assert prefix_of(before) != prefix_of(after)
    assert text_of(cluster_of(before)) != text_of(cluster_of(after))


def test_changed_count_changes_no_prefix(build: Build) -> None:
    before, after = build(MINIMAL), build(changed(MINIMAL, compute__1__count=5))
    assert prefix_of(before) == prefix_of(after)


def test_exactly_the_scripts_are_uploaded(build: Build) -> None:
    (asset,) = {
        path.parent for path in build(MINIMAL).directory.glob("asset.*/on_init_complete.sh")
    }
    shipped = {p.relative_to(asset).as_posix() for p in asset.rglob("*") if p.is_file()}
    files = scripts.script_files(scripts.FOLDER)
    wanted = {path.relative_to(scripts.FOLDER).as_posix() for path in files}
    assert shipped == wanted


def test_tables_of_failures_are_uploaded_with_the_scripts(build: Build) -> None:
    assembly = build(PARALLELCLUSTER)
    wanted = scripts.diagnosis_files()
    assert {"clusterwright/__init__.py", "clusterwright/diagnosis/engine.py"} <= wanted.keys()
    (init,) = assembly.directory.glob("asset.*/clusterwright/__init__.py")
    asset = init.parents[1]
    shipped = {
        path.relative_to(asset).as_posix(): path.read_text()
        for path in asset.rglob("*")
        if path.is_file()
    }
    assert shipped == wanted
    manifests = [
        {line.partition("  ")[2] for line in path.read_text().splitlines()}
        for path in assembly.directory.glob(f"asset.*/**/{scripts.MANIFEST}")
    ]
    # The scripts of the two queues are for compute nodes, which have no commands.
    assert sorted(wanted.keys() <= names for names in manifests) == [False, False, True]


@pytest.mark.parametrize("steps", [(), (STEP,)])
def test_the_programs_digest_is_that_which_nodes_compute(
    build: Build, tmp_path: Path, steps: tuple[str, ...]
) -> None:
    from clusterwright_common import installation  # on the path with stacks
    from clusterwright_node import programs

    spec = changed(MINIMAL, lifecycle={"steps": list(steps)})
    texts = [
        path.read_text() for path in build(spec).directory.glob(f"asset.*/{installation.UPLOADED}")
    ]
    scripts.copy_to(tmp_path / "node", {**scripts.site_files(steps), **scripts.diagnosis_files()})
    assert texts == [programs.version(tmp_path / "node") + "\n"]
    assert (programs.version(tmp_path / "node") == programs.version(scripts.FOLDER)) is (not steps)


def test_editor_and_python_caches_are_not_uploaded(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clean = shipped_files(folder, tmp_path / "clean", monkeypatch)
    for parent in (folder, folder / "clusterwright_node"):
        (parent / "__pycache__").mkdir()
        for name in ("__pycache__/x.cpython-311.pyc", ".DS_Store", "y.pyc"):
            (parent / name).write_bytes(b"x")
        (parent / ".mypy_cache" / "3.11").mkdir(parents=True)
        (parent / ".mypy_cache" / "3.11" / "x.json").write_bytes(b"{}")
    assert shipped_files(folder, tmp_path / "littered", monkeypatch) == clean


def test_nodes_can_read_the_bucket(build: Build) -> None:
    assembly = build(MINIMAL)
    role = assembly.templates["test-cluster"]["Resources"]
    bucket = only(assembly, "AWS::S3::Bucket")["BucketName"]
    assert f"arn:aws:s3:::{bucket}/*" in json.dumps(role)


def test_custom_steps_are_uploaded_and_change_the_prefix(build: Build, tmp_path: Path) -> None:
    before, after = build(MINIMAL), build(changed(MINIMAL, lifecycle={"steps": [STEP]}))
    assert prefix_of(before) != prefix_of(after)
    (shipped,) = after.directory.glob("asset.*/site_steps/memlock.py")
    assert shipped.read_text() == (ROOT / STEP).read_text()
    other = tmp_path / "memlock.py"
    other.write_text((ROOT / STEP).read_text() + "\n# another text\n")
    changed_text = build(changed(MINIMAL, lifecycle={"steps": [str(other)]}))
    assert prefix_of(changed_text) != prefix_of(after), "its contents count, not its path"


def test_artefacts_are_listed_where_a_step_uses_them(build: Build) -> None:
    pinned = {"artefacts": "tests/artefacts/data/pinned.json"}
    mirrored = {"containers": {"pyxis": True, "install": "mirrored"}}
    assembly = build(changed(MINIMAL, slurm=mirrored, lifecycle=pinned))
    found = deployed_file(assembly, "cluster.json")
    assert found["containers"] == {"pyxis": True, "install": "mirrored"}
    assert found["artefacts"]["bucket"] == only(assembly, "AWS::S3::Bucket")["BucketName"]
    assert [entry["file"] for entry in found["artefacts"]["files"]] == [
        "enroot_1.0-1_amd64.deb",
        "pyxis-1.0.tar.gz",
    ]
    assert found["artefacts"]["files"][0]["sha256"] == "e" * 64
    for spec in (MINIMAL, changed(MINIMAL, slurm={"containers": {"pyxis": True}})):
        assert "artefacts" not in deployed_file(build(spec), "cluster.json")


def test_unknown_checksum_is_passed_to_the_nodes(build: Build) -> None:
    mirrored = {"containers": {"pyxis": True, "install": "mirrored"}}
    found = deployed_file(build(changed(MINIMAL, slurm=mirrored)), "cluster.json")
    assert {entry["sha256"] for entry in found["artefacts"]["files"]} == {"unknown"}
