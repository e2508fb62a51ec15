"""The table of software versions: every row is complete and can be evaluated."""

from __future__ import annotations

import re

import pytest

from clusterwright.catalog.building import inputs, software
from clusterwright.platforms.software_pairs import Surroundings, evaluate, matches

MODEL = software.software()
ROWS = [row for pair in MODEL["pairs"] for row in pair["rows"]]


def test_rows_name_components_verdicts_and_dated_sources() -> None:
    for row in ROWS:
        assert {row["subject"], row["other"]} <= set(MODEL["components"])
        assert row["verdict"] in software.VERDICTS
        assert row["source"]
        assert re.fullmatch(r"\d{4}.*|undated", row["date"]), row
    written = inputs.rows("software.csv")
    assert len(ROWS) == len(written) + 3, "the limits of CUDA are rows too"


def test_every_condition_is_one_that_the_evaluation_knows() -> None:
    known = ("type", "os", "platform", "feature", "unless")
    for row in ROWS:
        for word in row["condition"].split():
            assert word.partition(":")[0] in known


def test_every_row_can_decide() -> None:
    """A range that no version is in would make a row that never applies."""
    for row in ROWS:
        for versions in (row["versions"], row["other_versions"]):
            if versions == "=":
                continue
            words = re.split(r"[|,]", versions)
            samples = [word.lstrip("<>=").rstrip("*") for word in words]
            assert any(matches(versions, sample) for sample in (*samples, "0.1")), row


def test_pairs_are_unique_and_rules_are_named_once() -> None:
    pairs = [frozenset(pair["components"]) for pair in MODEL["pairs"]]
    assert len(set(pairs)) == len(pairs)
    rules = [pair["rule"] for pair in MODEL["pairs"]]
    assert len(set(rules)) == len(rules)
    used = {name for pair in pairs for name in pair}
    assert set(MODEL["components"]) - used == {"efa_driver"}


def test_images_that_aws_publishes_are_accepted() -> None:
    """HyperPod's image of 2026-09-17 and ParallelCluster 3.15.0."""
    hyperpod = {
        "slurm": "25.11.8",
        "nvidia_driver": "595.91.07",
        "cuda": "13.2",
        "efa_installer": "1.50.0",
        "lustre_client": "2.15.6-1fsx35",
        "kernel": "6.8.0-1063",
        "os": "ubuntu-22.04",
    }
    parallelcluster = {
        "slurm": "25.11.4",
        "pmix": "5.0.10",
        "efa_installer": "1.47.0",
        "nvidia_driver": "580.105.08",
        "cuda": "13.0.2",
    }
    for versions in (hyperpod, parallelcluster):
        for name in ("p4d.24xlarge", "p5.48xlarge", "p6-b200.48xlarge"):
            found = evaluate(
                MODEL,
                {**versions, "instance_type": name},
                Surroundings(features=("efa_lustre",)),
            )
            assert not [each for each in found if each.verdict in ("refused", "end-of-life")]


@pytest.mark.parametrize(
    ("versions", "verdict"),
    [
        ({"neuron_sdk": "2.33.0", "neuron_driver": "2.31.7.0"}, "works"),
        ({"neuron_sdk": "2.31.0", "neuron_driver": "2.29.0.0"}, "works"),
        ({"neuron_sdk": "2.33.0", "neuron_driver": "2.24.7.0"}, "unknown"),
        ({"instance_type": "p6e-gb300.36xlarge", "nvidia_driver": "580.126.20"}, "works"),
        ({"instance_type": "p6e-gb300.36xlarge", "nvidia_driver": "570.211.01"}, "unknown"),
    ],
)
def test_released_and_tested_pairs(versions: dict[str, str], verdict: str) -> None:
    (found,) = [
        each for each in evaluate(MODEL, versions) if set(each.components) == set(versions)
    ]
    assert found.verdict == verdict
