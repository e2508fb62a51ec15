"""Every job of every example: `bash -n`, shellcheck, and our own `check-job`."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from clusterwright.catalog import load_catalog
from clusterwright.job_templates.registry import all_templates
from clusterwright.job_templates.rendering import render
from clusterwright.job_templates.template import JobTemplate
from tests.job_templates.example_files import SPECS, files, given_settings
from tests.job_templates.made import (
    NOW,
    example,
    findings,
    made_plan,
    shellcheck,
    tensor_parallel_plan,
)


def test_there_are_files() -> None:
    assert "nccl-tests of p5-8" in files()
    assert "fsdp2 of full-parallelcluster in a container" in files()
    assert {"sft of p5-8", "lora of p5-8", "qlora of p5-8"} <= set(files())


@pytest.mark.parametrize("spec", SPECS)
def test_check_job_finds_nothing(spec: str) -> None:
    found = {
        name: findings(text, example(spec)) for name, (of, text) in files().items() if of == spec
    }
    assert {name: messages for name, messages in found.items() if messages} == {}


def test_shellcheck_and_bash(tmp_path: Path) -> None:
    texts = {text: name for name, (_, text) in files().items()}
    paths = []
    for number, (text, name) in enumerate(texts.items()):
        path = tmp_path / f"{number:03}-{name.replace(' ', '-')}.sbatch"
        path.write_text(text, encoding="utf-8")
        paths.append(str(path))
    loop = 'code=0; for file in "$@"; do bash -n "$file" || code=1; done; exit "$code"'
    syntax = subprocess.run(
        ["bash", "-c", loop, "bash", *paths], capture_output=True, text=True, check=False
    )
    assert (syntax.returncode, syntax.stderr) == (0, "")
    # One file of each job and form: the shared part is the same in all.
    first = {Path(path).name.split("-of-")[0][4:]: Path(path) for path in reversed(paths)}
    assert shellcheck(*first.values()) == ""


@pytest.mark.parametrize("template", all_templates(), ids=lambda template: str(template.name))
def test_jobs_with_a_plan(template: JobTemplate) -> None:
    if not template.trains or template.runs_on != "nvidia" or template.image == "required":
        return
    cluster = example("configs/examples/p5-8.yaml")
    given = given_settings(cluster, template, image=False)
    kinds = {
        "sft": "fine-tune",
        "lora": "lora",
        "qlora": "qlora",
        "continued-pretraining": "continued",
    }
    kind = kinds.get(template.name, "from-scratch")
    sharded = template.name not in ("megatron-lm", "megatron-bridge", "continued-pretraining")
    plan = made_plan(kind=kind) if sharded else tensor_parallel_plan(kind=kind)
    text = render(cluster, load_catalog(), template, given, plan, NOW).text
    assert findings(text, cluster) == []
