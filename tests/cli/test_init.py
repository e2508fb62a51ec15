"""`clusterwright init`: the file loads, passes the check, and replaces no existing file."""

from __future__ import annotations

import re
import stat
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from clusterwright.cluster_spec.init_template import FOLDER
from clusterwright.platforms.loading import load_cluster
from clusterwright.platforms.registry import PLATFORMS
from tests.support.command_line import clusterwright, nothing_written

INIT = ("init", "--platform", "hyperpod-slurm")


def test_full_file(snapshot: SnapshotAssertion) -> None:
    answer = clusterwright(*INIT)
    assert (answer.exit_code, answer.err) == (0, "")
    assert answer.out == snapshot


def test_file_is_written_with_the_next_step(tmp_path: Path) -> None:
    answer = clusterwright(*INIT, "--output", "mine.yaml", folder=tmp_path)
    assert (answer.exit_code, answer.out) == (0, "")
    assert answer.err == ("mine.yaml is written; next: clusterwright check mine.yaml --offline\n")
    assert [p.name for p in tmp_path.iterdir()] == ["mine.yaml"]
    assert (tmp_path / "mine.yaml").read_text() == clusterwright(*INIT).out
    mode = stat.S_IMODE((tmp_path / "mine.yaml").stat().st_mode)
    (tmp_path / "other").touch()
    assert mode == stat.S_IMODE((tmp_path / "other").stat().st_mode)


def test_written_file_passes_the_offline_rules(tmp_path: Path) -> None:
    clusterwright(*INIT, "--output", "mine.yaml", folder=tmp_path)
    cluster = load_cluster(tmp_path / "mine.yaml").cluster
    assert (cluster.environment, cluster.region) == ("dev", "us-east-1")
    answer = clusterwright("check", "mine.yaml", "--offline", folder=tmp_path)
    assert answer.exit_code == 0, answer.out


def test_options_are_written_to_the_file(tmp_path: Path) -> None:
    answer = clusterwright(
        *INIT,
        *("--environment", "lab", "--account", "444455556666", "--region", "us-west-2"),
        *("--instance-type", "p5en.48xlarge", "--count", "5", "--output", "lab.yaml"),
        folder=tmp_path,
    )
    assert answer.exit_code == 0
    cluster = load_cluster(tmp_path / "lab.yaml").cluster
    assert (cluster.environment, cluster.account) == ("lab", "444455556666")
    assert (cluster.region, cluster.network.availability_zone_id) == ("us-west-2", "usw2-az2")
    assert (cluster.compute[2].instance_type, cluster.compute[2].count) == ("p5en.48xlarge", 5)


def test_zone_can_be_selected(tmp_path: Path) -> None:
    answer = clusterwright(*INIT, "--zone", "use1-az4")
    assert "availability_zone_id: use1-az4\n" in answer.out


def test_every_commented_option_is_valid(tmp_path: Path) -> None:
    text = clusterwright(*INIT).out
    head, first, body = text.partition("environment:")
    used = re.sub(r"(?m)^( *)#(?! \S)(.*)$", r"\1\2", body)
    assert used.count("\n") == body.count("\n")
    assert len(set(used.splitlines()) - set(body.splitlines())) >= 8
    (tmp_path / "all.yaml").write_text(head + first + used)
    cluster = load_cluster(tmp_path / "all.yaml").cluster
    assert cluster.budget is not None
    assert cluster.compute[2].capacity.kind == "training-plan"
    assert len(cluster.storage.lustre[0].repositories) == 2


def test_file_in_a_checkout_names_the_schema(tmp_path: Path) -> None:
    folder = tmp_path / "configs" / "examples"
    folder.mkdir(parents=True)
    (tmp_path / "schema").mkdir()
    (tmp_path / "schema" / "cluster.schema.json").touch()
    assert clusterwright(*INIT, "--output", folder / "mine.yaml").exit_code == 0
    first = (folder / "mine.yaml").read_text().splitlines()[0]
    assert first == "# yaml-language-server: $schema=../../schema/cluster.schema.json"
    assert (folder / first.partition("=")[2]).is_file()


def test_existing_file_is_kept(tmp_path: Path, snapshot: SnapshotAssertion) -> None:
    (tmp_path / "mine.yaml").write_text("precious")
    with nothing_written(tmp_path):
        answer = clusterwright(*INIT, "--output", "mine.yaml", folder=tmp_path)
    assert (answer.exit_code, answer.out) == (3, "")
    assert answer.err == snapshot


def test_force_replaces_an_existing_file(tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").write_text("precious")
    answer = clusterwright(*INIT, "--output", "mine.yaml", "--force", folder=tmp_path)
    assert answer.exit_code == 0
    assert load_cluster(tmp_path / "mine.yaml").cluster.environment == "dev"
    assert [p.name for p in tmp_path.iterdir()] == ["mine.yaml"]


def test_file_created_concurrently_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import clusterwright.cli.init as command

    def late(platform: str, choices: object, output: Path) -> str:
        (tmp_path / "mine.yaml").write_text("precious")
        return "ours"

    monkeypatch.setattr(command, "_text", late)
    answer = clusterwright(*INIT, "--output", "mine.yaml", folder=tmp_path)
    assert answer.exit_code == 3
    assert "mine.yaml exists and is not overwritten" in answer.err
    assert (tmp_path / "mine.yaml").read_text() == "precious"
    assert [p.name for p in tmp_path.iterdir()] == ["mine.yaml"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--account", "12"], "--account: '12' is not an account id of 12 digits"),
        (["--environment", "Dev"], "--environment: 'Dev' is not a name of lowercase letters"),
        (["--environment", "a\nb: c"], "--environment: 'a\\nb: c' is not a name"),
        (["--environment", "x" * 41], "--environment: "),
        (["--region", "nowhere"], "--region: 'nowhere' is not a region"),
        (["--region", "us-east-9"], "--region: the catalogue has no region us-east-9"),
        (["--zone", "usw2-az1"], "--zone: usw2-az1 is not a zone of us-east-1"),
        (
            ["--instance-type", "p5.48large"],
            "--instance-type: unknown instance type p5.48large",
        ),
        (["--instance-type", "x"], "--instance-type: 'x' is not an instance type"),
        (["--count", "-1"], "--count: must be at least 0, got -1"),
        (["--count", "many"], "'many' is not a valid integer"),
        (["--output", "nowhere/mine.yaml"], "nowhere does not exist"),
        (["--output", "."], ". is a directory"),
    ],
    ids=str,
)
def test_invalid_option_value_is_named(arguments: list[str], message: str, tmp_path: Path) -> None:
    with nothing_written(tmp_path):
        answer = clusterwright(*INIT, *arguments, folder=tmp_path)
        again = clusterwright(*INIT, "--output", "x.yaml", *arguments, folder=tmp_path)
    assert answer.exit_code == again.exit_code == 3
    assert answer.out == again.out == ""
    assert message in answer.err
    assert message in again.err


@pytest.mark.parametrize("platform", PLATFORMS)
def test_every_platform_template_passes_the_offline_rules(platform: str, tmp_path: Path) -> None:
    written = clusterwright(
        *("init", "--platform", platform, "--output", "mine.yaml"), folder=tmp_path
    )
    assert (written.exit_code, written.out) == (0, "")
    assert load_cluster(tmp_path / "mine.yaml").cluster.platform == platform
    answer = clusterwright("check", "mine.yaml", "--offline", folder=tmp_path)
    assert answer.exit_code == 0, answer.out


@pytest.mark.parametrize("platform", PLATFORMS)
def test_jobs_of_every_platform_use_the_options(platform: str, tmp_path: Path) -> None:
    choices = ("--instance-type", "p5en.48xlarge", "--count", "5")
    written = clusterwright(
        *("init", "--platform", platform, "--output", "mine.yaml", *choices), folder=tmp_path
    )
    assert (written.exit_code, written.out) == (0, "")
    groups = load_cluster(tmp_path / "mine.yaml").cluster.compute
    jobs = [(g.instance_type, g.count) for g in groups if g.role == "compute"]
    assert jobs == [("p5en.48xlarge", 5)]


@pytest.mark.parametrize("platform", PLATFORMS)
def test_invalid_option_value_is_named_on_every_platform(platform: str) -> None:
    answer = clusterwright("init", "--platform", platform, "--count", "-1")
    assert answer.exit_code == 3
    assert "--count: must be at least 0, got -1" in answer.err


def test_misspelt_platform_has_a_suggestion() -> None:
    answer = clusterwright("init", "--platform", "hyperpod_slurm")
    assert answer.exit_code == 3
    assert "did you mean `hyperpod-slurm`?" in answer.err


def test_platform_is_required() -> None:
    answer = clusterwright("init")
    assert answer.exit_code == 3
    assert "--platform" in answer.err


def test_conflict_with_the_base_is_reported(tmp_path: Path) -> None:
    (tmp_path / "base.yaml").write_text("network: {existing: {vpc_id: x}}\n")
    with nothing_written(tmp_path):
        answer = clusterwright(*INIT, "--output", "dev.yaml", folder=tmp_path)
    assert answer.exit_code == 3
    assert "with the base.yaml beside it the spec is invalid: network.existing" in answer.err


def test_every_platform_has_a_template() -> None:
    assert sorted(p.stem for p in FOLDER.glob("*.yaml")) == sorted(PLATFORMS)


@pytest.mark.parametrize("platform", PLATFORMS)
def test_sections_of_the_base_that_the_platform_lacks_are_unset(
    platform: str, tmp_path: Path
) -> None:
    (tmp_path / "base.yaml").write_text(Path("configs/base.yaml").read_text())
    answer = clusterwright("init", "--platform", platform, "-o", "mine.yaml", folder=tmp_path)
    assert (answer.exit_code, answer.out) == (0, "")
    assert load_cluster(tmp_path / "mine.yaml").cluster.platform == platform
    unset = "slurm: null\n" in (tmp_path / "mine.yaml").read_text()
    assert unset == (platform in ("hyperpod-eks", "eks"))


def test_ordinary_zone_is_preferred_to_a_local_zone(tmp_path: Path) -> None:
    # us-east-1 offers this type in a local zone too, whose name is the first of all.
    answer = clusterwright(*INIT, "--region", "us-east-1", "--instance-type", "p5.48xlarge")
    assert "availability_zone_id: use1-az6\n" in answer.out
    found = clusterwright(*INIT, "--region", "us-west-2", "--instance-type", "p6e-gb300.36xlarge")
    assert "us-west-2-phx-2a" not in found.out


def test_type_that_the_region_does_not_offer_is_refused() -> None:
    answer = clusterwright(*INIT, "--region", "us-west-2", "--instance-type", "trn2.48xlarge")
    assert (answer.exit_code, answer.out) == (3, "")
    first, _, hint = answer.err.partition("\n\nhint: regions that offer it: ")
    assert first == "error: --region: trn2.48xlarge is not offered in us-west-2"
    assert "us-east-2" in hint.strip().split(", ")


@pytest.mark.parametrize("path", ["/proc/x.yaml", "/dev/full", "x/" + "n" * 300])
def test_odd_place_is_an_error_of_the_user(path: str, tmp_path: Path) -> None:
    (tmp_path / "x").mkdir()
    for force in ((), ("--force",)):
        answer = clusterwright(*INIT, "--output", path, *force, folder=tmp_path)
        assert (answer.exit_code, answer.out) == (3, "")
        assert "is not" in answer.err or "cannot be written" in answer.err


@pytest.mark.parametrize("instance_type", ["inf2.48xlarge", "p6e-gb300.36xlarge"])
@pytest.mark.parametrize("platform", ["hyperpod-slurm", "hyperpod-eks"])
def test_a_type_that_the_platform_does_not_support_is_refused(
    platform: str, instance_type: str, tmp_path: Path
) -> None:
    words = ("init", "--platform", platform, "--instance-type", instance_type)
    with nothing_written(tmp_path):
        answer = clusterwright(*words, "--output", "x.yaml", folder=tmp_path)
    assert (answer.exit_code, answer.out) == (3, "")
    assert f"would fail CW-C003: HyperPod does not support ml.{instance_type}" in answer.err


@pytest.mark.parametrize("platform", PLATFORMS)
@pytest.mark.parametrize("instance_type", ["g5.12xlarge", "m5.4xlarge", "trn1.32xlarge"])
def test_a_file_that_is_written_passes_the_check(
    platform: str, instance_type: str, tmp_path: Path
) -> None:
    words = ("init", "--platform", platform, "--instance-type", instance_type)
    answer = clusterwright(*words, "--output", "x.yaml", folder=tmp_path)
    assert answer.exit_code == 0, answer.err
    checked = clusterwright("check", "x.yaml", "--offline", folder=tmp_path)
    assert checked.exit_code in (0, 2), checked.out


def test_type_without_local_drives_has_no_scratch(tmp_path: Path) -> None:
    answer = clusterwright(*INIT, "--instance-type", "m5.4xlarge")
    assert "    #scratch: {mount_path: /scratch}\n" in answer.out


def test_file_in_configs_names_its_environment(tmp_path: Path) -> None:
    (tmp_path / "configs").mkdir()
    answer = clusterwright(*INIT, "--output", "configs/lab.yaml", folder=tmp_path)
    assert answer.exit_code == 0, answer.err
    assert load_cluster(tmp_path / "configs/lab.yaml").cluster.environment == "lab"
