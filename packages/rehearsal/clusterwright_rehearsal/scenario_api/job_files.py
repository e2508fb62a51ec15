"""The job files of `clusterwright render jobs` for the rehearsed cluster, tried with sbatch."""

from __future__ import annotations

import datetime as dt
import shlex
from collections.abc import Mapping
from typing import Final

from clusterwright.catalog import load_catalog
from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.job_templates.registry import all_templates
from clusterwright.job_templates.rendering import render
from clusterwright.job_templates.settings import Setting
from clusterwright.job_templates.template import JobTemplate, RefusedError
from clusterwright_rehearsal.scenario_api.context import ScenarioContext

_VALUES: Final[Mapping[str, str]] = {"path": "/fsx/any", "count": "1024", "text": "any"}
_NAMED: Final[Mapping[str, str]] = {"source": "s3://any/any"}
_IMAGE: Final = "/fsx/any.sqsh"
_TRY: Final = """cd {folder}
for file in *.sbatch; do
  error=$(sbatch --test-only "$file" 2>&1) || echo "$file: $error"
done"""


def job_files(cluster: Cluster) -> dict[str, str]:
    """The batch scripts of all jobs that the cluster can run, by name.

    Required settings have a value of their kind, which sbatch does not read.
    """
    catalog, now = load_catalog(), dt.datetime.now(dt.UTC)
    found = {}
    for template in all_templates():
        try:
            job = render(cluster, catalog, template, _settings(cluster, template), None, now)
        except RefusedError:
            continue
        found[job.name] = job.text
    return found


def refused_by_slurm(context: ScenarioContext, files: Mapping[str, str]) -> list[str]:
    """Files that `sbatch --test-only` does not accept on this cluster, each with its message."""
    folder = f"{context.shared_folder}/job-files"
    context.controller.must(f"mkdir -p {shlex.quote(folder)}")
    for name, text in files.items():
        context.controller.write(f"{folder}/{name}", text)
    try:
        said = context.controller.must(_TRY.format(folder=shlex.quote(folder)), user="ubuntu")
    finally:
        context.controller.run(f"rm -rf {shlex.quote(folder)}")
    return said.splitlines()


def _settings(cluster: Cluster, template: JobTemplate) -> dict[str, str]:
    given = {one.name: _value(one) for one in template.settings if one.required}
    if template.image == "required" and cluster.slurm.containers.pyxis:
        given["image"] = _IMAGE
    return given


def _value(setting: Setting) -> str:
    return _NAMED.get(setting.name) or _VALUES[setting.kind]
