"""`clusterwright migrate`: its report, its output file, and unchanged files."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import jsonschema
import pytest
from syrupy.assertion import SnapshotAssertion

from clusterwright.json_output.schemas import schemas
from tests.support.command_line import clusterwright, nothing_written

CONFIGS = Path(__file__).resolve().parents[2] / "configs"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A checkout's configs: base, dev and prod with its users."""
    shutil.copytree(CONFIGS, tmp_path / "configs", ignore=shutil.ignore_patterns("examples"))
    return tmp_path


@pytest.mark.parametrize("platform", ["hyperpod-eks", "parallelcluster", "eks"])
@pytest.mark.parametrize("form", ["text", "markdown"])
def test_full_report(platform: str, form: str, folder: Path, snapshot: SnapshotAssertion) -> None:
    with nothing_written(folder):
        answer = clusterwright(
            *("migrate", "configs/prod.yaml", "--to", platform, "--format", form), folder=folder
        )
    # The known part of EC2's rates is above prod's budget; HyperPod's rates are unknown.
    assert answer.exit_code == (2 if platform == "hyperpod-eks" else 1)
    assert answer.err == ""
    # The cost has its own tests; findings contain the totals too.
    text, _, costs = answer.out.rpartition("Cost")
    text = re.sub(r"[0-9,]+[.][0-9]{2} USD", "... USD", text)
    assert re.sub(r"[0-9]+ lines are unknown", "... lines are unknown", text) == snapshot
    amounts = "[0-9.,]+ USD an hour, [0-9.,]+ USD a month"
    assert "before (hyperpod-slurm): cost unknown: no price of controller, login and w" in costs
    assert re.search(f"before, scenario: {amounts}", costs)
    # EC2's own platforms have prices of instances; the other ones have a scenario.
    first = "cost unknown: no price of" if platform == "hyperpod-eks" else "(at least|about) "
    assert re.search(rf"after \({platform}\): {first}", costs)


@pytest.mark.parametrize("platform", ["hyperpod-eks", "parallelcluster", "eks"])
def test_json_has_its_schema_and_the_file(platform: str, folder: Path) -> None:
    answer = clusterwright(
        *("migrate", "configs/dev.yaml", "--to", platform, "--format", "json"), folder=folder
    )
    assert (answer.exit_code, answer.err) == (0, "")
    data = json.loads(answer.out)
    jsonschema.validate(data, schemas()["migrate-output.schema.json"])
    assert (data["from"], data["to"], data["written"]) == ("hyperpod-slurm", platform, None)
    (folder / "configs" / "other.yaml").write_text(data["spec"])
    # Of the old cluster, whose file it replaces.
    words = ("check", "configs/other.yaml", "--offline", "--skip", "CW-E010")
    assert clusterwright(*words, folder=folder).exit_code == 0
    assert data["cost"]["before"]["platform"] == "hyperpod-slurm"
    assert data["cost"]["after"]["platform"] == platform


@pytest.mark.parametrize("where", ["configs/other.yaml", "other.yaml"])
@pytest.mark.parametrize("platform", ["hyperpod-eks", "parallelcluster", "eks"])
def test_written_spec_passes_the_offline_check_with_and_without_a_base(
    platform: str, where: str, folder: Path
) -> None:
    answer = clusterwright(
        *("migrate", "configs/dev.yaml", "--to", platform, "--write", where),
        *("--environment", "other"),
        folder=folder,
    )
    assert answer.exit_code == 0, answer.out
    assert answer.err == f"{where} is written; next: clusterwright check {where} --offline\n"
    checked = clusterwright("check", where, "--offline", folder=folder)
    assert checked.exit_code == 0, checked.out
    shown = json.loads(clusterwright("expand", where, "--format", "json", folder=folder).out)
    assert (shown["platform"], shown["environment"]) == (platform, "other")
    assert shown["tags"]["owner"] == "ml-infrastructure"
    # With a base, the file has only the differences.
    assert ("cidr" in (folder / where).read_text()) == (where == "other.yaml")


@pytest.mark.parametrize("platform", ["hyperpod-eks", "parallelcluster", "eks"])
def test_complete_file_beside_a_base_inherits_nothing(platform: str, folder: Path) -> None:
    """configs/base.yaml has `slurm`, `image` and `tags`, which the old file lacks."""
    (folder / "whole.yaml").write_text(
        "environment: whole\naccount: '111122223333'\nregion: us-east-1\n"
        "platform: hyperpod-slurm\nnetwork: {availability_zone_id: use1-az6}\n"
        "compute:\n"
        "  - {name: controller, role: controller, instance_type: m5.4xlarge, count: 1}\n"
        "  - {name: workers, role: compute, instance_type: p5.48xlarge, count: 2}\n"
        "storage: {lustre: [{capacity_gib: 1200, throughput_mbps_per_tib: 1000}]}\n"
    )
    shown = []
    for where in ("elsewhere.yaml", "configs/beside.yaml"):
        answer = clusterwright(
            *("migrate", "whole.yaml", "--to", platform, "--write", where), folder=folder
        )
        assert answer.exit_code == 0, answer.out
        answer = clusterwright("expand", where, "--format", "json", folder=folder)
        assert answer.exit_code == 0, answer.err
        shown.append(json.loads(answer.out))
    assert shown[0] == shown[1]


def test_the_written_file_keeps_comments_and_order(
    folder: Path, snapshot: SnapshotAssertion
) -> None:
    clusterwright(
        *("migrate", "configs/prod.yaml", "--to", "eks", "--write", "configs/prod-eks.yaml"),
        folder=folder,
    )
    assert (folder / "configs" / "prod-eks.yaml").read_text() == snapshot


def test_blockers_are_listed_with_exit_1(folder: Path) -> None:
    (folder / "odd.yaml").write_text(
        "environment: odd\naccount: '111122223333'\nregion: us-east-1\nplatform: parallelcluster\n"
        "network: {availability_zone_id: use1-az6}\n"
        "compute:\n"
        "  - {name: controller, role: controller, instance_type: m5.4xlarge, count: 1}\n"
        "  - {name: workers, role: compute, instance_type: inf2.48xlarge, count: 2}\n"
    )
    answer = clusterwright(
        *("migrate", "odd.yaml", "--to", "hyperpod-slurm", "--format", "json"), folder=folder
    )
    assert answer.exit_code == 1
    found = json.loads(answer.out)["open"]
    assert [note["path"] for note in found] == ["compute[1].instance_type"]
    assert "HyperPod does not support ml.inf2.48xlarge" in found[0]["what"]
    assert "platform: parallelcluster or eks" in found[0]["do"]


BESIDE = ["configs/dev.yaml", "--to", "eks", "--environment", "next"]
OUTPUTS = {
    "list.json": [],
    "other.json": {"dev-two-network": {"VpcId": "vpc-0a1b2c3d4e5f60718"}},
    "flat.json": {"dev-network": "vpc-0a1b2c3d4e5f60718"},
    "numbers.json": {"dev-network": {"VpcId": 7}},
    "two.json": {"dev-network": {"VpcId": "a"}, "dev-cluster": {"VpcId": "b"}},
    "little.json": {"dev-network": {"VpcId": "vpc-0a1b2c3d4e5f60718"}},
    "wrong.json": {"dev-network": {"VpcId": "vpc-x\nplatform: eks"}},
}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["configs/dev.yaml", "--to", "hyperpod-slurm"], "already has platform: hyperpod-slurm"),
        (["configs/dev.yaml", "--to", "ekz"], "there is no platform ekz"),
        (["configs/dev.yaml"], "--to"),
        (["configs/none.yaml", "--to", "eks"], "configs/none.yaml"),
        (["configs/dev.yaml", "--to", "eks", "--write", "configs"], "is a directory"),
        (["configs/dev.yaml", "--to", "eks", "--write", "no/x.yaml"], "no does not exist"),
        (
            ["configs/dev.yaml", "--to", "eks", "--write", "configs/dev.yaml", "--force"],
            "configs/dev.yaml is the input file",
        ),
        (
            ["configs/dev.yaml", "--to", "eks", "--write", "configs/prod.yaml"],
            "configs/prod.yaml exists and is not overwritten",
        ),
        (["configs/dev.yaml", "--to", "eks", "--environment", "Dev_"], "--environment: 'Dev_'"),
        (
            ["configs/dev.yaml", "--to", "eks", "--outputs", "o.json"],
            "--outputs requires another name",
        ),
        ([*BESIDE, "--outputs", "none.json"], "none.json does not exist"),
        ([*BESIDE, "--outputs", "configs"], "configs cannot be read"),
        ([*BESIDE, "--outputs", "configs/dev.yaml"], "configs/dev.yaml cannot be read"),
        ([*BESIDE, "--outputs", "list.json"], "is not an object"),
        ([*BESIDE, "--outputs", "other.json"], "other.json has no outputs of dev"),
        ([*BESIDE, "--outputs", "flat.json"], "dev-network is not an object"),
        ([*BESIDE, "--outputs", "numbers.json"], "VpcId of dev-network is 7, not a string"),
        ([*BESIDE, "--outputs", "two.json"], "two stacks of dev have different values"),
        ([*BESIDE, "--outputs", "little.json"], "no output LustreFileSystemId, LustreDnsName"),
        ([*BESIDE, "--outputs", "wrong.json"], "VpcId is 'vpc-x\\nplatform: eks', not a VPC id"),
    ],
    ids=str,
)
def test_impossible_migration_is_an_error_and_writes_nothing(
    arguments: list[str], message: str, folder: Path
) -> None:
    for name, content in OUTPUTS.items():
        (folder / name).write_text(json.dumps(content))
    with nothing_written(folder):
        answer = clusterwright("migrate", *arguments, folder=folder)
    assert (answer.exit_code, answer.out) == (3, "")
    assert message in answer.err


def test_force_replaces_another_file(folder: Path) -> None:
    (folder / "x.yaml").write_text("precious")
    answer = clusterwright(
        *("migrate", "configs/dev.yaml", "--to", "eks", "--write", "x.yaml", "--force"),
        folder=folder,
    )
    assert answer.exit_code == 0
    assert "platform: eks" in (folder / "x.yaml").read_text()
    assert [p.name for p in folder.iterdir() if p.name.startswith(".")] == []


VPC = '"VpcId": "vpc-0a1b2c3d4e5f60718"'


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (None, "does not exist"),
        ("", "cannot be read"),
        ("[" * 100_000, "cannot be read"),
        ("[]", "is not an object with the outputs of each stack"),
        ('{"dev-network": []}', "dev-network is not an object of outputs"),
        ('{"dev-network": {"VpcId": 5}}', "VpcId of dev-network is 5, not a string"),
        (f'{{"dev-eu-network": {{{VPC}}}}}', "has no outputs of dev"),
        ('{"dev-network": {"VpcId": "vpc-1; x"}}', "VpcId is 'vpc-1; x', not a VPC id"),
        (f'{{"dev-network": {{{VPC[:-1]}\\n"}}}}', "not a VPC id"),
        (
            '{"dev-network": {"NodeSubnetIds": "subnet-0a1b2c3d4e5f60718,"}}',
            "not a subnet id",
        ),
        (
            f'{{"dev-network": {{{VPC}}}, "dev-storage": {{"VpcId": "vpc-0"}}}}',
            "two stacks of dev have different values of VpcId",
        ),
        (
            f'{{"dev-network": {{{VPC}}}}}',
            "the stacks of dev have no output LustreFileSystemId, LustreDnsName, LustreMountName, "
            "LustreSecurityGroupIds, NodeSubnetIds, NodeSecurityGroupIds",
        ),
    ],
)
def test_outputs_that_cannot_be_imported_are_an_error(
    content: str | None, words: str, folder: Path
) -> None:
    file = folder / "outputs.json"
    if content is not None:
        file.write_text(content)
    with nothing_written(folder):
        answer = clusterwright(
            *("migrate", "configs/dev.yaml", "--to", "parallelcluster", "--environment", "next"),
            *("--outputs", "outputs.json", "--write", "configs/next.yaml"),
            folder=folder,
        )
    assert (answer.exit_code, answer.out) == (3, "")
    assert words in answer.err
    assert "Traceback" not in answer.err


@pytest.mark.parametrize("more", [(), ("--environment", "dev")])
def test_outputs_require_another_cluster_name(more: tuple[str, ...], folder: Path) -> None:
    words = ("migrate", "configs/dev.yaml", "--to", "eks", "--outputs", "outputs.json")
    answer = clusterwright(*words, *more, folder=folder)
    assert answer.exit_code == 3
    assert "--outputs requires another name" in answer.err
