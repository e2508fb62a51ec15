"""Every job of every example: `bash -n`, shellcheck, and our own `check-job`."""

from __future__ import annotations

import functools
import subprocess
from pathlib import Path
from typing import Any

import pytest

from clusterwright.catalog import load_catalog
from clusterwright.job_templates.registry import all_templates
from clusterwright.job_templates.rendering import listed, render
from clusterwright.job_templates.template import JobTemplate, RefusedError
from tests.job_templates.made import (
    DIGEST,
    IMAGE,
    NOT_ON_EVERY_EXAMPLE,
    NOW,
    example,
    findings,
    made_plan,
    required_settings,
    shellcheck,
    tensor_parallel_plan,
)
from tools.lint.files import ROOT

SPECS = tuple(
    str(path.relative_to(ROOT))
    for folder in ("configs", "configs/examples")
    for path in sorted((ROOT / folder).glob("*.yaml"))
    if path.name != "base.yaml"
)


def _given(cluster: Any, template: JobTemplate, *, image: bool) -> dict[str, str]:
    given = required_settings(template)
    if template.image == "required" or (image and template.image == "optional"):
        ecr = f"111122223333.dkr.ecr.us-east-1.amazonaws.com/training@{DIGEST}"
        given["image"] = ecr if cluster.network.egress == "closed" else IMAGE
    return given


@functools.cache
def files() -> dict[str, tuple[str, str]]:
    """Spec and text by `job of spec`, each text once."""
    found: dict[str, tuple[str, str]] = {}
    catalog = load_catalog()
    for spec in SPECS:
        cluster = example(spec)
        if not cluster.uses_slurm:
            continue
        pyxis = cluster.slurm.containers.pyxis
        for template in all_templates():
            if not listed(cluster, catalog, template).available:
                continue
            if template.image == "required" and not pyxis:
                continue
            for image in (False, True) if pyxis else (False,):
                given = _given(cluster, template, image=image)
                name = f"{template.name} of {Path(spec).stem}{' in a container' * image}"
                try:
                    text = render(cluster, catalog, template, given, None, NOW).text
                except RefusedError as error:
                    if not any(reason in error.reason for reason in NOT_ON_EVERY_EXAMPLE):
                        raise
                    continue
                found[name] = (spec, text)
    return found


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
    given = _given(cluster, template, image=False)
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
