"""`clusterwright plan --write`: from a goal to a spec that is checked, priced and synthesised."""

from __future__ import annotations

import json
import math
import tomllib
from collections.abc import Callable
from pathlib import Path

import jsonschema
import pytest
from ruamel.yaml import YAML

from clusterwright.json_output.schemas import schemas
from clusterwright.platforms.loading import load_cluster
from clusterwright.review.recorded_plan import differences
from tests.support.command_line import clusterwright
from tests.support.synthesis import Assembly

BASE = Path(__file__).parents[2] / "configs" / "base.yaml"
GOAL = ("--model", "llama3-70b", "--tokens", "15T", "--deadline", "90d")


@pytest.fixture
def configs(tmp_path: Path) -> Path:
    folder = tmp_path / "configs"
    folder.mkdir()
    (folder / "base.yaml").write_text(BASE.read_text())
    return folder


@pytest.mark.parametrize("region", ["us-east-1", "us-west-2"])
def test_written_spec_passes_the_offline_check(configs: Path, region: str) -> None:
    spec = configs / "llama3-70b.yaml"
    written = clusterwright("plan", *GOAL, "--region", region, "--write", str(spec))
    assert written.exit_code == 0, written.err
    assert f"next: clusterwright check {spec} --offline" in written.err
    checked = clusterwright("check", str(spec), "--offline")
    assert checked.exit_code == 0, checked.out + checked.err
    cost = clusterwright("cost", str(spec), "--format", "json")
    assert cost.exit_code == 0, cost.err
    lines = json.loads(cost.out)["lines"]
    workers = next(line for line in lines if line["item"].startswith("workers"))
    assert (workers["unit_price_usd"] is None) == (region == "us-west-2")


IMAGE = f"111122223333.dkr.ecr.us-east-1.amazonaws.com/train@sha256:{'a' * 64}"


@pytest.mark.parametrize(
    ("more", "platform"),
    [
        (("--platform", "hyperpod-slurm"), "hyperpod-slurm"),
        (("--platform", "hyperpod-eks", "--image", IMAGE), "hyperpod-eks"),
        (("--platform", "eks", "--image", IMAGE), "eks"),
        # No platform is requested: it follows from the capacity.
        (("--capacity", "capacity-block"), "parallelcluster"),
    ],
)
def test_spec_of_each_platform_is_written(
    configs: Path,
    more: tuple[str, ...],
    platform: str,
    synth: Callable[[str | Path], Assembly],
) -> None:
    spec = configs / "llama3-8b.yaml"
    goal = ("plan", "--model", "llama3-8b", "--tokens", "1T", "--region", "us-east-1")
    size = ("--instance-type", "p5.48xlarge", "--nodes", "16")
    answer = clusterwright(*goal, *size, *more, "--write", str(spec), "--format", "json")
    assert answer.exit_code == 0, answer.err
    plan = json.loads(answer.out)
    assert plan["platform"]["platform"] == platform
    cluster = load_cluster(spec).cluster
    assert cluster.platform == platform
    checked = clusterwright("check", str(spec), "--offline")
    assert checked.exit_code == 0, checked.out + checked.err
    assert clusterwright("cost", str(spec)).exit_code == 0
    assert clusterwright("expand", str(spec)).exit_code == 0
    assert "llama3-8b-cluster" in synth(spec).templates
    assert differences(plan, cluster) == ()
    # Quotas are those of the platform: instances of HyperPod, vCPUs of EC2.
    vcpus = any(", in vCPUs" in one["note"] for one in plan["quotas"])
    assert vcpus == (platform in ("parallelcluster", "eks"))
    if cluster.uses_kubernetes:
        (job,) = cluster.kubernetes.workloads.jobs
        rendered = clusterwright("render", "kubernetes", str(spec), "--part", "jobs")
        assert rendered.exit_code == 0, rendered.err
        manifest = YAML(typ="safe").load(rendered.out)
        kinds = {"eks": "PyTorchJob", "hyperpod-eks": "HyperPodPyTorchJob"}
        assert manifest["kind"] == kinds[platform]
        words = (configs / "llama3-8b.megatron.args").read_text().splitlines()
        settings = {word for word in words if word.startswith("--")}
        assert settings <= set(job.command) or "torchtitan.train" in job.command
        assert job.node_count == plan["estimate"]["nodes"]


def test_job_without_an_image_is_a_comment(configs: Path) -> None:
    spec = configs / "mine.yaml"
    size = ("--instance-type", "p5.48xlarge", "--nodes", "16", "--platform", "eks")
    arguments = ("plan", *GOAL[:4], *size, "--region", "us-east-1", "--write", str(spec))
    assert clusterwright(*arguments).exit_code == 0
    text = spec.read_text()
    assert load_cluster(spec).cluster.kubernetes.workloads.jobs == []
    marked = [line for line in text.splitlines() if line.startswith(("#kubernetes", "# "))]
    assert any("set its image by digest" in line for line in marked)
    lines = [
        line[1:] if line.startswith(("#kubernetes:", "#  ")) else line
        for line in text.splitlines()
    ]
    image = "registry.example/training@sha256:<the digest of your image>"
    spec.write_text("\n".join(lines).replace(image, IMAGE))
    (job,) = load_cluster(spec).cluster.kubernetes.workloads.jobs
    assert (job.image, job.node_count) == (IMAGE, 16)


def test_several_purchases_have_no_single_job(configs: Path) -> None:
    spec = configs / "mine.yaml"
    size = ("--instance-type", "p5.48xlarge", "--nodes", "48", "--platform", "eks")
    more = ("--capacity", "capacity-block", "--image", IMAGE)
    arguments = ("plan", *GOAL[:4], *size, *more, "--region", "us-east-1", "--write", str(spec))
    assert clusterwright(*arguments).exit_code == 0
    assert "a job uses one group" in spec.read_text()
    checked = clusterwright("check", str(spec), "--offline")
    assert checked.exit_code == 0, checked.out
    cluster = load_cluster(spec).cluster
    groups = [group for group in cluster.compute if group.role == "compute"]
    assert len(groups) > 1
    assert sum(group.count - group.spare_count for group in groups) == 48


def test_plan_and_settings_are_written_beside_the_spec(configs: Path) -> None:
    spec = configs / "llama3-70b.yaml"
    answer = clusterwright(
        *("plan", *GOAL, "--region", "us-east-1", "--write", str(spec), "--format", "json")
    )
    assert answer.exit_code == 0, answer.err
    beside = json.loads((configs / "llama3-70b.plan.json").read_text())
    said = json.loads(answer.out)
    assert beside["estimate"] == said["estimate"]
    layout = next(one["layout"] for one in said["candidates"] if one["chosen"])
    words = (configs / "llama3-70b.megatron.args").read_text().splitlines()
    assert f"--tensor-model-parallel-size={layout['tensor']}" in words
    titan = tomllib.loads((configs / "llama3-70b.torchtitan.toml").read_text())
    assert titan["parallelism"]["tensor_parallel_degree"] == layout["tensor"]
    nemo = YAML(typ="safe").load((configs / "llama3-70b.nemo.yml").read_text())
    assert nemo["train"]["global_batch_size"] == titan["training"]["global_batch_size"]
    spec_data = YAML(typ="safe").load(spec.read_text())
    workers = [group for group in spec_data["compute"] if group["role"] == "compute"]
    count = sum(group["count"] - group.get("spare_count", 0) for group in workers)
    assert count == said["estimate"]["nodes"]


def test_existing_files_require_force(configs: Path) -> None:
    spec = configs / "mine.yaml"
    spec.write_text("kept\n")
    arguments = ("plan", *GOAL, "--region", "us-east-1", "--write", str(spec))
    refused = clusterwright(*arguments)
    assert refused.exit_code == 3
    assert "exists and is not overwritten" in refused.err
    assert spec.read_text() == "kept\n"
    assert clusterwright(*arguments, "--force").exit_code == 0
    assert spec.read_text() != "kept\n"


@pytest.mark.parametrize(
    ("name", "more", "says"),
    [
        ("Mine.yaml", (), "the file's name becomes the cluster's"),
        ("mine.json", (), "the file name must end in .yaml"),
        (
            "mine.yaml",
            ("--capacity", "capacity-block", "--platform", "hyperpod-slurm"),
            "for capacity-block: platform: parallelcluster or eks",
        ),
        (
            "mine.yaml",
            ("--capacity", "training-plan", "--platform", "eks"),
            "for training-plan: platform: hyperpod-slurm or hyperpod-eks",
        ),
        ("mine.yaml", ("--platform", "hyperpod"), "did you mean hyperpod-"),
        ("mine.yaml", ("--platform", "parallelcluster", "--image", IMAGE), "has Slurm"),
        ("mine.yaml", ("--platform", "eks", "--image", "a:latest"), "without a tag"),
        # It is kept if no job is written, too.
        (
            "mine.yaml",
            ("--platform", "eks", "--capacity", "capacity-block", "--image", "a:latest"),
            "without a tag",
        ),
        ("mine.yaml", ("--platform", "eks", "--image", f"{IMAGE}\nrun: null"), "without a tag"),
        ("mine.yaml", ("--account", "12"), "the spec would be invalid"),
        ("mine.yaml", ("--zone", "euw1-az1"), "the catalogue knows no zone euw1-az1"),
        ("nowhere/mine.yaml", (), "does not exist"),
        ("base.yaml", ("--force",), "the values of every spec"),
        ("/proc/mine.yaml", (), "/proc is not writable"),
        ("mine.yaml", ("--instance-type", "p5.48xlarge", "--nodes", "9000"), "must be at most"),
    ],
)
def test_unwritable_path_is_an_error_and_writes_nothing(
    configs: Path, name: str, more: tuple[str, ...], says: str
) -> None:
    answer = clusterwright(
        "plan", *GOAL, "--region", "us-east-1", "--write", str(configs / name), *more
    )
    assert answer.exit_code == 3
    assert says in answer.err
    assert sorted(path.name for path in configs.iterdir()) == ["base.yaml"]


def test_cluster_that_fills_its_range_gets_a_larger_one(configs: Path) -> None:
    spec = configs / "large.yaml"
    large = ("--region", "us-east-1", "--instance-type", "p5.48xlarge", "--nodes", "1024")
    assert clusterwright("plan", *GOAL, *large, "--write", str(spec)).exit_code == 0
    assert "secondary_cidrs: [10.1.0.0/24]" in spec.read_text()
    checked = clusterwright("check", str(spec), "--offline")
    assert checked.exit_code == 0, checked.out


def test_spec_that_the_check_refuses_is_not_written(configs: Path) -> None:
    ultra = ("--region", "ap-south-2", "--instance-type", "trn2u.48xlarge", "--nodes", "64")
    mine = ("--write", str(configs / "mine.yaml"))
    answer = clusterwright("plan", *GOAL, *ultra, "--platform", "hyperpod-slurm", *mine)
    assert answer.exit_code == 3
    assert "does not support trn2u.48xlarge" in answer.err
    assert "platform: parallelcluster" in answer.err
    assert sorted(path.name for path in configs.iterdir()) == ["base.yaml"]


def test_folder_without_a_base_is_reported(tmp_path: Path) -> None:
    answer = clusterwright(
        "plan", *GOAL, "--region", "us-east-1", "--write", str(tmp_path / "mine.yaml")
    )
    assert answer.exit_code == 3
    assert "has no base.yaml" in answer.err


def test_spec_requires_a_region(configs: Path) -> None:
    answer = clusterwright("plan", *GOAL, "--write", str(configs / "mine.yaml"))
    assert answer.exit_code == 3
    assert "--write needs a region" in answer.err


def test_ultraservers_are_complete_and_unknowns_reported(configs: Path) -> None:
    output = configs / "gb.yaml"
    answer = clusterwright(
        *("plan", "--model", "llama3-70b", "--tokens", "1T", "--region", "us-east-1"),
        *("--instance-type", "p6e-gb200.36xlarge", "--nodes", "144", "--write", str(output)),
    )
    assert answer.exit_code == 0, answer.err
    assert "count: 162" in output.read_text()
    assert "unknown, so that check --offline exits with 2: CW-C020" in answer.err
    checked = clusterwright("check", str(output), "--offline", "--format", "json")
    assert checked.exit_code == 2
    assert "CW-C021" not in {f["rule"] for f in json.loads(checked.out)["findings"]}
    plan = json.loads((configs / "gb.plan.json").read_text())
    assert differences(plan, load_cluster(output).cluster) == ()


@pytest.mark.parametrize(
    ("nodes", "capacity", "sizes"),
    [("36", "on-demand", [36]), ("20", "on-demand", [20]), ("45", "capacity-block", [18, 18, 9])],
)
def test_ultraservers_on_parallelcluster(
    configs: Path, nodes: str, capacity: str, sizes: list[int]
) -> None:
    """Other nodes have the same architecture, and blocks are complete without spares."""
    output = configs / "gb.yaml"
    answer = clusterwright(
        *("plan", "--model", "llama3-70b", "--tokens", "1T", "--region", "us-east-1"),
        *("--instance-type", "p6e-gb200.36xlarge", "--nodes", nodes, "--capacity", capacity),
        *("--platform", "parallelcluster", "--write", str(output)),
    )
    assert answer.exit_code == 0, answer.err
    cluster = load_cluster(output).cluster
    types = {group.role: group.instance_type for group in cluster.compute}
    assert (types["controller"], types["login"]) == ("m7g.8xlarge", "m7g.4xlarge")
    workers = [group for group in cluster.compute if group.role == "compute"]
    assert [(group.count, group.spare_count) for group in workers] == [(n, 0) for n in sizes]
    plan = json.loads((configs / "gb.plan.json").read_text())
    assert differences(plan, cluster) == ()


def test_partial_ultraserver_is_refused_on_parallelcluster(configs: Path) -> None:
    answer = clusterwright(
        *("plan", "--model", "llama3-70b", "--tokens", "1T", "--region", "us-east-1"),
        *("--instance-type", "p6e-gb200.36xlarge", "--nodes", "20"),
        *("--capacity", "capacity-block", "--platform", "parallelcluster"),
        *("--write", str(configs / "gb.yaml")),
    )
    assert answer.exit_code == 3
    assert "whole UltraServers of 9 or 18 nodes, not 20" in answer.err
    assert "--nodes 27" in answer.err
    assert sorted(path.name for path in configs.iterdir()) == ["base.yaml"]


def test_second_currency_and_ramp_are_shown(tmp_path: Path) -> None:
    answer = clusterwright(
        *("plan", *GOAL, "--region", "us-east-1", "--currency", "JPY", "--fx", "150@2026-11-20"),
        *("--phases", "--starts", "2027-01-04", "--inference-tokens", "100T"),
    )
    assert answer.exit_code == 0, answer.err
    for words in ("in JPY", "at 150 JPY per USD", "phase 1", "2027-01-04", "break-even at"):
        assert words in answer.out
    wrong = clusterwright("plan", *GOAL, "--currency", "JPY")
    assert wrong.exit_code == 3
    assert "--fx" in wrong.err


def test_owned_hardware_is_planned(tmp_path: Path) -> None:
    file = tmp_path / "owned.yaml"
    file.write_text("{purchase: 200000000, watts: 5000000, tariff_per_kwh: 0.08}\n")
    answer = clusterwright("plan", *GOAL, "--region", "us-east-1", "--owned", str(file))
    assert "buying instead of renting" in answer.out
    file.write_text(
        "{purchase: 200000000, watts: 5000000, tariff_per_kwh: 0.08, accelerator: h100,\n"
        " accelerators: 2048, network_gbps: 1600}\n"
    )
    named = clusterwright("plan", *GOAL, "--region", "us-east-1", "--owned", str(file))
    assert "the run on 2,048 H100" in named.out, named.err
    for text, says in (
        ("{purchase: 1, watts: 1}\n", "tariff_per_kwh is missing"),
        ("{purchase: 1, watts: 1, tarif: 1}\n", "unknown key 'tarif'"),
        ("{purchase: much, watts: 1, tariff_per_kwh: 1}\n", "purchase is 'much'"),
        ("[]\n", "holds no mapping"),
        (
            "{purchase: 1, watts: 1, tariff_per_kwh: 1, accelerators: 8}\n",
            "accelerators requires accelerator",
        ),
        (
            "{purchase: 1, watts: 1, tariff_per_kwh: 1, accelerator: L40S}\n",
            "the number of L40S is missing",
        ),
        (
            "{purchase: 1, watts: 1, tariff_per_kwh: 1, accelerator: L40S, accelerators: none}\n",
            "cluster.accelerators",
        ),
        ("{purchase: 1.0e+308, watts: 1, tariff_per_kwh: 1}\n", "is larger than"),
        ("{purchase: 1" + "0" * 400 + ", watts: 1, tariff_per_kwh: 1}\n", "is larger than"),
        ("{purchase: .inf, watts: 1, tariff_per_kwh: 1}\n", "purchase is inf"),
    ):
        file.write_text(text)
        refused = clusterwright("plan", *GOAL, "--region", "us-east-1", "--owned", str(file))
        assert refused.exit_code == 3
        assert says in refused.err


def test_html_report_is_written() -> None:
    answer = clusterwright("plan", *GOAL, "--region", "us-east-1", "--format", "html")
    assert answer.exit_code == 0, answer.err
    assert answer.out.startswith("<!DOCTYPE html>")
    assert answer.out.count("<svg") == 5


def test_inference_plan_is_printed() -> None:
    arguments = ("plan", "--kind", "inference", "--model", "llama3-70b", "--precision", "int8")
    answer = clusterwright(*arguments, "--sequences", "16", "--seq-len", "8192")
    assert answer.exit_code == 0, answer.err
    assert "the smallest replica of each type" in answer.out
    assert "loses quality" in answer.out
    data = json.loads(clusterwright(*arguments, "--format", "json").out)
    replicas = {one["instance_type"]: one for one in data["serving"]["replicas"]}
    assert replicas["p5.48xlarge"]["accelerators"] == 1
    assert data["exit_code"] == 0
    refused = clusterwright(*arguments, "--format", "html")
    assert refused.exit_code == 3
    assert "no HTML report" in refused.err


@pytest.mark.parametrize(
    ("more", "says"),
    [
        (("--write", "mine.yaml"), "--write"),
        (("--phases", "8"), "--phases"),
        (("--accelerator", "H100"), "--accelerator"),
        (("--region", "mars-1"), "unknown region 'mars-1'"),
    ],
)
def test_unsupported_inference_options_are_refused(more: tuple[str, ...], says: str) -> None:
    answer = clusterwright("plan", "--kind", "inference", "--model", "llama3-70b", *more)
    assert answer.exit_code == 3
    assert says in answer.err


def test_inference_json_matches_the_schema() -> None:
    arguments = ("plan", "--kind", "inference", "--model", "llama3-70b", "--nodes", "3")
    data = json.loads(clusterwright(*arguments, "--format", "json").out)
    jsonschema.validate(data, schemas()["plan-output.schema.json"])
    assert any("nodes of the goal" in warning for warning in data["warnings"])
    without = {key: value for key, value in data.items() if key != "serving"}
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(without, schemas()["plan-output.schema.json"])


def test_cost_uses_the_hours_of_the_plan(configs: Path) -> None:
    spec = configs / "llama3-70b.yaml"
    written = clusterwright("plan", *GOAL, "--region", "us-east-1", "--write", str(spec))
    assert written.exit_code == 0, written.err
    own = json.loads(clusterwright("cost", str(spec), "--format", "json").out)
    assert own["run_hours_from"] == "run.hours"
    text = spec.read_text()
    spec.write_text(text[: text.index("# ", text.index("slurm:"))])
    plan = json.loads((configs / "llama3-70b.plan.json").read_text())
    found = json.loads(clusterwright("cost", str(spec), "--format", "json").out)
    assert found["run_hours_from"] == "P90 of llama3-70b.plan.json"
    assert found["run_hours"] == math.ceil(plan["estimate"]["days"]["p90"]) * 24
    assert found["run_hours"] == own["run_hours"]
    assert found["total"]["run_usd"] is not None
    said = f"run of {found['run_hours']:,} h (P90 of llama3-70b.plan.json)"
    assert said in clusterwright("cost", str(spec)).out
    given = json.loads(clusterwright("cost", str(spec), "--hours", "10", "--format", "json").out)
    assert (given["run_hours"], given["run_hours_from"]) == (10, "--hours")
    (configs / "llama3-70b.plan.json").write_text("{}")
    broken = clusterwright("cost", str(spec))
    assert broken.exit_code == 3
    assert "not an output of `clusterwright plan`" in broken.err
    (configs / "llama3-70b.plan.json").unlink()
    without = json.loads(clusterwright("cost", str(spec), "--format", "json").out)
    assert (without["run_hours"], without["run_hours_from"]) == (None, None)
