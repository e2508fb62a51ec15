"""The list of `clusterwright render jobs --list` as text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from clusterwright.job_templates.rendering import Listed
from clusterwright.job_templates.template import FAMILIES
from clusterwright.render.table import columns


def list_text(jobs: Sequence[Listed]) -> str:
    """The jobs that the cluster can run, by family; then the others with the reasons."""
    lines: list[str] = []
    for family in FAMILIES:
        rows = [_row(job) for job in jobs if job.available and job.template.family == family]
        if rows:
            lines += ["", family] if lines else [family]
            lines += [f"  {line}" for line in columns(rows, ["left"] * 3)]
    refused = [job for job in jobs if not job.available]
    if refused:
        lines += ["", "not for this cluster"] if lines else ["not for this cluster"]
        lines += [f"  {job.reason}" for job in refused]
    return "\n".join(line.rstrip() for line in lines) + "\n"


def settings_text(jobs: Sequence[Listed]) -> str:
    """The settings of each job."""
    return "\n".join("\n".join(_settings(job)) + "\n" for job in jobs)


def _row(job: Listed) -> tuple[str, str, str]:
    target = job.target
    where = "" if target is None else target.partition or target.group.name
    kind = "" if target is None else target.instance_type
    needs = f"; needs {', '.join(f'--set {name}=' for name in job.needs)}" if job.needs else ""
    return job.template.name, f"{job.template.title}{needs}", f"{where}, {kind}"


def _settings(job: Listed) -> Iterator[str]:
    yield f"{job.template.name}: {job.template.title}"
    yield job.template.about
    if job.reason is not None:
        yield f"not for this cluster: {job.reason}"
    rows = [("setting", "type", "default", "")]
    for setting in job.template.all_settings:
        default = "required" if setting.required else setting.default or ""
        about = setting.about
        if setting.choices:
            about += f" One of {', '.join(setting.choices)}."
        rows.append((setting.name, setting.kind, default, about))
    yield from (line.rstrip() for line in columns(rows, ["left"] * 4))
