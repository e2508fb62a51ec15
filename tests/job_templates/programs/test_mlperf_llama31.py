"""The program of MLPerf's Llama 3.1: stages, plug-ins, and the submitter in the log."""

from __future__ import annotations

import os
from types import SimpleNamespace

import pytest

from tests.job_templates.programs.loading import program

driver = program("mlperf_llama31")


class Plugin:
    """Sets a variable of the executor, as NeMo's do."""

    def setup(self, _task: object, executor: SimpleNamespace) -> None:
        executor.env_vars["CLUSTERWRIGHT_TEST"] = "tuned"


def ran(stage: str) -> list[object]:
    """The tasks that a stage runs."""
    tasks: list[object] = []

    def run(task: object, *, direct: bool) -> None:
        assert direct
        tasks.append(task)

    kind = driver.experiment(stage, run)
    with kind("title") as experiment:
        experiment.add("index", executor=SimpleNamespace(env_vars={}), name=driver.INDEX)
        executor = SimpleNamespace(env_vars={})
        experiment.add("train", executor=executor, name="405b_0", plugins=[Plugin()])
        experiment.run(sequential=True, detach=True)
    return tasks


def test_each_stage_has_its_task(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CLUSTERWRIGHT_TEST", raising=False)
    assert ran("index") == ["index"]
    assert "CLUSTERWRIGHT_TEST" not in os.environ
    assert ran("train") == ["train"]
    assert os.environ.pop("CLUSTERWRIGHT_TEST") == "tuned"


def test_the_submitter_is_the_users() -> None:
    events: dict[str, object] = {}
    logger = SimpleNamespace(event=lambda key, value: events.update({key: value}))
    for benchmark, more in (("llama31_8b", {"max_steps": 1_200_000}), ("llama31_405b", {})):
        events.clear()
        options = SimpleNamespace(benchmark=benchmark, organisation="acme", platform="4xp5")
        driver.submission(options)(logger)
        assert events == {
            "submission_benchmark": benchmark,
            "submission_org": "acme",
            "submission_division": "closed",
            "submission_status": "cloud",
            "submission_platform": "4xp5",
            **more,
        }
