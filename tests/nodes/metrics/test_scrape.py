"""A scrape collects from all sources within its budget."""

from __future__ import annotations

import importlib
import re
import threading
import time
from pathlib import Path

import pytest
from clusterwright_common.probe import Probe, ProbeError
from clusterwright_metrics import sources
from clusterwright_metrics.scrape import Scraper, load_sources
from clusterwright_metrics.text import Metrics

from tests.nodes.conftest import LIFECYCLE
from tests.nodes.metrics.fake_node import (
    Machine,
    at,
    fake,
    good,
    parsed,
)

NAMES = sorted(path.stem for path in Path(sources.__path__[0]).glob("[a-z]*.py"))


@pytest.mark.parametrize("name", NAMES)
def test_a_missing_source_has_no_samples(machine: Machine, name: str) -> None:
    source = importlib.import_module(f"clusterwright_metrics.sources.{name}")
    assert machine.samples(source) == {}


def test_every_source_has_its_row_in_the_reference() -> None:
    page = (LIFECYCLE.parent / "docs" / "reference" / "metrics.md").read_text()
    nodes = "all|compute|controller|as `slurm`"
    assert sorted(re.findall(rf"^\| `(\w+)` \| (?:{nodes})", page, re.MULTILINE)) == NAMES


def test_every_source_has_a_test_of_its_name() -> None:
    tests = {path.stem for path in (Path(__file__).parent / "sources").glob("test_*.py")}
    assert {f"test_{name}" for name in NAMES} == tests


def test_every_role_has_its_sources() -> None:
    assert "slurm" in load_sources("controller")
    assert "nvidia" not in load_sources("controller")
    assert {"host", "nvidia", "neuron", "efa", "lustre", "ours"} <= set(load_sources("compute"))


def test_a_failing_source_does_not_affect_others() -> None:
    def unanswered(_: Probe, metrics: Metrics) -> None:
        metrics.add("half", "gauge", "About.", 1)
        raise ProbeError("nobody there")

    def broken(_: Probe, __: Metrics) -> None:
        raise KeyError("x")

    said: list[str] = []
    modules = {"a": fake(unanswered), "b": fake(broken), "c": fake(good)}
    scraper = Scraper("compute", Probe, 2.0, modules, said.append)
    found = parsed(scraper.text())
    assert at(found, "clusterwright_source_up", source="a") == 0
    assert at(found, "clusterwright_source_up", source="b") == 0
    assert at(found, "clusterwright_source_up", source="c") == 1
    assert at(found, "good") == at(found, "half") == 1
    assert said == ["a: nobody there", "b: KeyError: 'x'"]


def test_hanging_source_is_not_started_again() -> None:
    release, started = threading.Event(), []

    def hangs(_: Probe, metrics: Metrics) -> None:
        started.append(1)
        release.wait(30)
        metrics.add("late", "gauge", "About.", 1)

    said: list[str] = []
    modules = {"a": fake(hangs), "c": fake(good)}
    scraper = Scraper("compute", Probe, 0.2, modules, said.append)
    try:
        for _ in range(2):
            scraper._kept = None
            began = time.monotonic()
            found = parsed(scraper.text())
            assert time.monotonic() - began < 20
            assert at(found, "clusterwright_source_up", source="a") == 0
            assert at(found, "good") == 1
            assert not any(name == "late" for name, _ in found)
        assert len(started) == 1
        assert len(said) == 1
    finally:
        release.set()
    scraper._left_behind["a"].thread.join(5)  # type: ignore[union-attr]
    scraper._kept = None
    found = parsed(scraper.text())
    assert len(started) == 2, "what it found while nobody waited is old: it is asked again"
    assert at(found, "late") == 1
    assert said[-1] == "a: answers again"


def test_concurrent_scrapes_share_an_answer() -> None:
    asked = []
    modules = {"a": fake(lambda *_: asked.append(1))}
    scraper = Scraper("compute", Probe, 2.0, modules, lambda _: None)
    assert scraper.text() == scraper.text()
    assert len(asked) == 1
