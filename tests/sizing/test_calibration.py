"""The fit of the constants to throughput benchmarks."""

from __future__ import annotations

import json
from dataclasses import asdict
from importlib.resources import files

import numpy as np
import pytest

from clusterwright.catalog import load_catalog
from clusterwright.sizing import calibration

DATA = calibration.benchmarks(load_catalog())


def test_every_benchmark_has_a_source_and_no_hours() -> None:
    text = files("clusterwright.sizing").joinpath("data/benchmarks.json").read_text("utf-8")
    for row in json.loads(text)["benchmarks"]:
        assert row["source"]
        assert "hours" not in row
        assert row["tokens_per_s_per_accelerator"] > 0
    shapes = files("clusterwright.sizing").joinpath("data/models.json").read_text("utf-8")
    assert "hours" not in shapes.replace('"note"', "")


def test_constants_are_the_best_fit() -> None:
    """Further rounds of the fit find nothing better: no constant was adjusted manually."""
    used = calibration.constants()
    better, _ = calibration.fit(DATA, start=used, rounds=2)
    assert calibration.loss(DATA, used) - calibration.loss(DATA, better) < 0.5


def test_shares_are_between_0_and_1() -> None:
    used = calibration.constants()
    shares = ("kernel", "kernel_fp8", "kernel_neuron", "kernel_experts", "attention")
    for name in (*shares, "exposed_tensor", "exposed_expert"):
        assert 0 < getattr(used, name) <= 1, name
    assert 1 <= used.tuned < 1.5
    assert 0 < used.straggler < 0.03
    assert all(value > 0 for value in asdict(used).values())


def test_spread_is_that_of_cross_validation() -> None:
    """One part of the cross-validation, repeated: Trainium, one benchmark at a time."""
    neuron = [b for b in DATA if b.hardware.is_neuron][:3]
    found = calibration.spreads(
        neuron, calibration.cross_validated(neuron, calibration.constants())
    )
    assert found["neuron"] > 0


@pytest.mark.parametrize(("kind", "limit"), [("dense", 0.2), ("moe", 0.4), ("neuron", 0.2)])
def test_interval_includes_the_model_error(kind: str, limit: float) -> None:
    spread = calibration.residual_spread()[kind]
    seen = calibration.spreads(DATA, residuals())[kind]
    assert 0.05 < seen < spread < limit


@pytest.mark.parametrize("kind", ["dense", "moe", "neuron"])
def test_interval_contains_about_eighty_percent_in_cross_validation(kind: str) -> None:
    assert 0.7 <= calibration.coverage(DATA)[kind] <= 0.9


def test_stored_residuals_are_those_of_cross_validation() -> None:
    """One residual, computed again: the last of Trainium."""
    stored = json.loads(
        files("clusterwright.sizing").joinpath("data/calibration.json").read_text("utf-8")
    )["unseen_residuals"]
    assert len(stored) == len(DATA)
    last = len(DATA) - 1
    assert DATA[last].hardware.is_neuron
    chosen, _ = calibration.fit(DATA[:last], start=calibration.constants(), rounds=6)
    measured = DATA[last].tokens_per_s_per_accelerator
    again = np.log(measured / calibration.predict(DATA[last], chosen))
    assert stored[last] == pytest.approx(again, abs=0.02)


def test_most_benchmarks_are_within_25_percent() -> None:
    off = np.abs(np.exp(residuals()) - 1)
    assert np.mean(off < 0.25) > 0.85
    assert np.median(off) < 0.12


def residuals() -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    used = calibration.constants()
    return np.array(
        [np.log(b.tokens_per_s_per_accelerator / calibration.predict(b, used)) for b in DATA]
    )
