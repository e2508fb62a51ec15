"""What checkpoints take by the plan stands in the job, and too much of it is said."""

from __future__ import annotations

import contextlib
import re

import pytest

from clusterwright.catalog import load_catalog
from clusterwright.job_templates.plan import TrainingPlan
from clusterwright.job_templates.registry import all_templates, template_named
from clusterwright.job_templates.rendering import render
from clusterwright.job_templates.template import RefusedError
from tests.job_templates.made import (
    NOW,
    made_cluster,
    made_plan,
    rendered,
    required_settings,
    tensor_parallel_plan,
)


def _plan(terabytes: float, kept: int = 3) -> TrainingPlan:
    """A plan of checkpoints of this size."""
    return made_plan(storage={"checkpoint_bytes": terabytes * 1e12, "kept": kept})


def _heading(text: str) -> str:
    return " ".join(re.findall(r"^# (.*)", text, re.MULTILINE))


@pytest.mark.parametrize("job", ["fsdp2", "torchtitan"])
def test_the_heading_has_the_size_of_the_kept_checkpoints_and_the_next(job: str) -> None:
    assert (
        "By the plan a checkpoint has 200 GB: 3 that are kept and the next one take 800 GB of "
        "/fsx."
    ) in _heading(rendered(job, plan=_plan(0.2), **required_settings(template_named(job))))


def test_a_setting_counts_more_than_the_plan() -> None:
    text = rendered("fsdp2", plan=_plan(0.2), keep="5")
    assert "5 that are kept and the next one take 1,200 GB of /fsx" in _heading(text)


def test_checkpoints_that_do_not_fit_are_reported() -> None:
    cluster = made_cluster()
    (lustre,) = cluster.storage.lustre
    assert lustre.capacity_gib is not None
    fits = lustre.capacity_gib * 2**30 / 4 / 1e12
    template = template_named("fsdp2")
    for size, reported in ((fits, False), (fits * 1.01, True)):
        done = render(cluster, load_catalog(), template, {}, _plan(size), NOW)
        assert any("the job will end when it is full" in note for note in done.notes) == reported


def test_without_a_size_nothing_is_said() -> None:
    text = rendered("fsdp2", plan=made_plan(storage={"kept": 3}))
    assert "a checkpoint has" not in text
    assert "a checkpoint has" not in rendered("fsdp2")


def test_every_job_that_keeps_checkpoints_of_a_plan_says_so() -> None:
    jobs = [
        template
        for template in all_templates()
        if template.uses_plan and any(setting.name == "keep" for setting in template.settings)
    ]
    said = set()
    for template in jobs:
        for plan in (made_plan(), tensor_parallel_plan()):
            # A job of another accelerator, or one that does not run the plan's layout.
            with contextlib.suppress(RefusedError):
                text = rendered(template.name, plan=plan, **required_settings(template))
                assert "By the plan a checkpoint has 110 GB" in _heading(text), template.name
                said.add(template.name)
    assert said >= {"fsdp2", "megatron-bridge", "megatron-lm", "torchtitan"}
