"""What every job file promises: requeue, one log, resume, save, and exit codes of its own."""

from __future__ import annotations

import re

import pytest

from clusterwright.catalog import load_catalog
from clusterwright.job_templates.registry import all_templates
from clusterwright.job_templates.rendering import render
from clusterwright.job_templates.template import JobTemplate
from tests.job_templates.example_files import files, given_settings
from tests.job_templates.made import NOW, example

SLURM = [template for template in all_templates() if template.slurm is not None]
TRAINING = [template for template in SLURM if template.trains]
START_OVER = ("mlperf-gpt3-175b", "mlperf-llama31-8b", "mlperf-llama31-405b")
"""Runs that MLPerf measures from their beginning: nothing is resumed, and nothing saved."""

named = pytest.mark.parametrize("template", SLURM, ids=lambda one: str(one.name))
training = pytest.mark.parametrize("template", TRAINING, ids=lambda one: str(one.name))


def of(name: str) -> dict[str, tuple[str, str]]:
    """Spec and text of a job's files, by name."""
    return {each: found for each, found in files().items() if each.startswith(f"{name} of ")}


@named
def test_requeued_and_appended(template: JobTemplate) -> None:
    for name, (_, text) in of(template.name).items():
        assert "#SBATCH --requeue\n" in text, name
        assert "#SBATCH --open-mode=append\n" in text, name
        # A job that is requeued keeps its id, and so the name of its log.
        assert re.search(r"^#SBATCH --output=%x-%(j|A_%a)\.out$", text, re.MULTILINE), name


@training
def test_training_resumes_saves_and_has_its_own_exit_codes(template: JobTemplate) -> None:
    assert of(template.name)
    for name, (spec, text) in of(template.name).items():
        seconds = re.search(r"^SAVE_SECONDS=(\d+)$", text, re.MULTILINE)
        assert seconds is not None, name
        assert f"#SBATCH --signal=B:USR1@{seconds[1]}\n" in text, name
        assert "\ntrap on_signal USR1\n" in text, name
        # The newest whole checkpoint decides where it goes on, and whether there is progress.
        assert "START_STEP=$(newest_checkpoint)\n" in text, name
        assert "readonly EXIT_NO_PROGRESS=93 EXIT_NO_EFA=94\n" in text, name
        assert text.rstrip().endswith("finish_training"), name
        cluster = example(spec)
        resumed = cluster.on_hyperpod and cluster.resilience.node_recovery == "automatic"
        assert (" --auto-resume=1" in text) == resumed, name


@training
def test_training_saves_before_the_capacity_ends(template: JobTemplate) -> None:
    if template.runs_on != "nvidia":
        return
    cluster = example("configs/examples/p5-64.yaml")
    given = given_settings(cluster, template, image=False)
    ends = {"capacity_ends": "2999-12-24T11:30Z"}
    text = render(cluster, load_catalog(), template, given | ends, None, NOW).text
    deadline = re.search(r"^#SBATCH --deadline=2999-12-24T(\d\d:\d\d):00$", text, re.MULTILINE)
    assert deadline is not None
    # AWS stops the instances before the end.
    assert deadline[1] <= "11:30"
    # Without it Slurm refuses a time limit beyond the deadline.
    assert re.search(r"^#SBATCH --time-min=\d\d:\d\d:00$", text, re.MULTILINE)
    assert re.search(r"^CAPACITY_ENDS=325\d{8}$", text, re.MULTILINE)


@pytest.mark.parametrize("name", START_OVER)
def test_runs_that_start_over(name: str) -> None:
    for each, (_, text) in of(name).items():
        assert "fail 93 " in text, each
        assert "newest_checkpoint" not in text, each
