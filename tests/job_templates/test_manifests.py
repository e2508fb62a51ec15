"""Every job with a Kubernetes form, on every example of it: API server and shellcheck."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from clusterwright.catalog import load_catalog
from clusterwright.job_templates.registry import all_templates
from clusterwright.job_templates.rendering import listed, render
from clusterwright.job_templates.template import RefusedError
from tests.job_templates.made import (
    NOT_ON_EVERY_EXAMPLE,
    NOW,
    example,
    kubernetes_cluster,
    manifest_findings,
    manifests,
    rendered,
    required_settings,
    shellcheck,
)
from tests.platforms.kubernetes.specs import EKS, HYPERPOD, IMAGE, KARPENTER

SPECS = (
    "configs/dev-eks.yaml",
    "configs/dev-hyperpod-eks.yaml",
    "configs/examples/full-eks.yaml",
    "configs/examples/full-hyperpod-eks.yaml",
)
TEMPLATES = [template for template in all_templates() if template.kubernetes is not None]


def _clusters() -> Iterator[tuple[str, Any]]:
    for spec in SPECS:
        yield spec, example(spec)
    for name, base in (("eks", EKS), ("hyperpod-eks", HYPERPOD), ("karpenter", KARPENTER)):
        yield name, kubernetes_cluster(base)
    yield "without lustre", kubernetes_cluster(EKS, storage={})


@functools.cache
def files() -> dict[str, str]:
    """Text by `job of cluster`."""
    found = {}
    catalog = load_catalog()
    for name, cluster in _clusters():
        for template in TEMPLATES:
            if not listed(cluster, catalog, template).available:
                continue
            # The image is in Amazon ECR: networks may be closed.
            given = required_settings(template) | {"image": IMAGE}
            if cluster.tenants:
                given["tenant"] = cluster.tenants[0].name
            try:
                text = render(cluster, catalog, template, given, None, NOW).text
            except RefusedError as error:
                if not any(reason in error.reason for reason in NOT_ON_EVERY_EXAMPLE):
                    raise
                continue
            found[f"{template.name} of {name}"] = text
    return found


def test_there_are_files() -> None:
    assert {f"nccl-tests of {name}" for name, _ in _clusters()} <= set(files())


@pytest.mark.parametrize("template", [template.name for template in TEMPLATES])
def test_the_api_server_accepts_them(template: str) -> None:
    for name, text in files().items():
        if name.startswith(f"{template} of "):
            assert manifests(text), name


def test_check_job_finds_nothing_in_them() -> None:
    clusters = dict(_clusters())
    for name, text in files().items():
        assert manifest_findings(text, clusters[name.partition(" of ")[2]]) == [], name


def test_shellcheck_and_bash(tmp_path: Path) -> None:
    scripts = {
        script: name
        for name, text in files().items()
        for each in manifests(text)
        for script in _scripts(each)
    }
    assert scripts
    paths = []
    for number, script in enumerate(scripts):
        paths.append(tmp_path / f"{number}.sh")
        paths[-1].write_text(f"#!/bin/bash\n{script}", encoding="utf-8")
    assert shellcheck(*paths) == ""


def _scripts(value: Any) -> Iterator[str]:
    """Scripts of commands and of ConfigMaps."""
    if isinstance(value, dict):
        for key, child in value.items():
            if key.endswith(".sh") and isinstance(child, str):
                yield child
            yield from _scripts(child)
    elif isinstance(value, list):
        if value[:2] == ["/bin/bash", "-c"]:
            yield value[2]
        for child in value:
            yield from _scripts(child)


def test_a_job_without_this_form_is_refused_with_the_reason() -> None:
    names = [t.name for t in all_templates() if t.kubernetes is None and t.unavailable is None]
    for name in names:
        with pytest.raises(RefusedError, match=f"{name} has no Kubernetes form"):
            rendered(name, kubernetes_cluster(EKS))
