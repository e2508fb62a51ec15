"""The batch scripts of every job for every example, as tests read them."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any

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
    required_settings,
)
from tools.lint.files import ROOT

SPECS = tuple(
    str(path.relative_to(ROOT))
    for folder in ("configs", "configs/examples")
    for path in sorted((ROOT / folder).glob("*.yaml"))
    if path.name != "base.yaml"
)


def given_settings(cluster: Any, template: JobTemplate, *, image: bool) -> dict[str, str]:
    """What a job does not do without on a cluster, with an image or without."""
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
                given = given_settings(cluster, template, image=image)
                name = f"{template.name} of {Path(spec).stem}{' in a container' * image}"
                try:
                    text = render(cluster, catalog, template, given, None, NOW).text
                except RefusedError as error:
                    if not any(reason in error.reason for reason in NOT_ON_EVERY_EXAMPLE):
                        raise
                    continue
                found[name] = (spec, text)
    return found
