"""`clusterwright render alerts`: the file, its comments, and its errors."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from ruamel.yaml import YAML

from tests.alerts.watched_clusters import SLURM
from tests.support import specs
from tests.support.command_line import Answer, clusterwright
from tests.support.rich_specs import changed


def run(*arguments: str) -> Answer:
    return clusterwright("render", "alerts", *arguments)


@pytest.mark.parametrize(
    "name", ["dev", "prod", "dev-eks", "dev-hyperpod-eks", "dev-parallelcluster", "dev-pcs"]
)
def test_each_example_has_a_rule_file(name: str) -> None:
    result = run(f"configs/{name}.yaml")
    assert result.exit_code == 0, result.err
    assert result.out.startswith(
        f"# Alert rules for Prometheus, by `clusterwright render alerts configs/{name}.yaml`.\n"
    )
    content = YAML(typ="safe").load(result.out)
    assert list(content) == ["groups"]
    uses_slurm = "eks" not in name
    assert bool(content["groups"]) is uses_slurm
    assert ("# No alert on samples applies: " in result.out) is not uses_slurm


def test_json_has_the_rules_and_what_was_left_out() -> None:
    result = run("configs/dev.yaml", "--format", "json")
    answer = json.loads(result.out)
    assert (answer["command"], answer["exit_code"]) == ("render alerts", 0)
    assert answer["groups"][0]["rules"][0]["alert"] == "NodeSilent"
    assert {"name": "NeuronDeviceMissing", "reason": "Neuron devices"} in answer["left_out"]


def test_the_end_of_capacity_is_given() -> None:
    result = run("configs/dev.yaml", "--capacity-ends", "2026-12-24T11:30Z")
    assert "(vector(time()) >= 1798111800 - 86400) < 1798111800" in result.out
    assert "CapacityEndsInOneDay: " not in result.out


def test_a_time_that_is_none_is_an_error() -> None:
    result = run("configs/dev.yaml", "--capacity-ends", "soon")
    assert result.exit_code == 3
    assert "--capacity-ends: 'soon' is not a time" in result.err


def test_own_prices_and_runbooks_are_in_the_texts(tmp_path: Path) -> None:
    capacity = {"kind": "training-plan", "arn": specs.PLAN}
    spec = specs.write(tmp_path / "spec.yaml", changed(SLURM, compute__1__capacity=capacity))
    unknown = run(str(spec))
    assert "the price of a node of workers is unknown" in unknown.out
    (tmp_path / "prices.yaml").write_text(_PRICES)
    result = run(str(spec), "--runbooks", "https://docs.example.com/a.html")
    assert "a node of workers costs 50.00 USD per hour" in result.out
    assert "runbook_url: https://docs.example.com/a.html#gpusidle" in result.out


_PRICES = """\
rates:
  - instance_type: p5.48xlarge
    kind: training-plan
    region: us-east-1
    usd: 50
    unit: instance-hour
    source: our purchase
    date: 2026-11-01
"""
