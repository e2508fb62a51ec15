"""The images: their jobs and their archives exist."""

from __future__ import annotations

import re

from clusterwright.artefacts.lock import read_lock
from clusterwright.container_images.requirements_files import requirements
from clusterwright.container_images.stacks import STACKS, stack_named, stack_of_job
from clusterwright.job_templates.registry import all_templates
from tools.lint.files import ROOT


def test_images_are_of_jobs_and_of_artefacts_that_exist() -> None:
    jobs = {template.name for template in all_templates()}
    named = [job for stack in STACKS for job in stack.jobs]
    assert set(named) <= jobs
    assert len(set(named)) == len(named)
    known = {artefact.name for artefact in read_lock(ROOT / "images/artefacts.json")}
    assert {name for stack in STACKS for name in stack.archives} == known


def test_python_packages_have_versions_and_checksums() -> None:
    for stack in STACKS:
        text = requirements(stack)
        assert (text is None) == (stack.requirements is None)
        for block in (text or "").replace(" \\\n", " ").splitlines():
            assert block.startswith("#") or ("==" in block and "--hash=sha256:" in block), block


def test_what_is_built_in_an_image_is_in_its_list_with_what_builds_it() -> None:
    for stack in STACKS:
        pinned = set(re.findall(r"^([a-z0-9._-]+)==", requirements(stack) or "", re.M))
        assert set(stack.sources) <= pinned
        assert not stack.sources or "setuptools" in pinned


def test_jobs_run_on_the_accelerators_of_their_image() -> None:
    for template in all_templates():
        stack = stack_of_job(template.name)
        if stack is not None:
            assert template.runs_on in (stack.accelerators, "cpu")


def test_an_image_by_its_name() -> None:
    assert stack_named("pytorch") in STACKS
    assert stack_named("other") is None


def test_vllm_is_the_version_whose_arguments_the_job_has() -> None:
    stack = stack_of_job("vllm")
    (template,) = (one for one in all_templates() if one.name == "vllm")
    assert stack is not None
    (version,) = re.findall(r"^vllm==(\S+)", requirements(stack) or "", re.M)
    assert f"the package vllm {version}:" in template.source
