"""The JSON output of `clusterwright render jobs`: the list of jobs, or their files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from clusterwright.job_templates.rendering import Listed, RenderedJob
from clusterwright.job_templates.template import RefusedError
from clusterwright.json_output.base import Count, Envelope, Joined, Output, at, field, json_text


class SettingOutput(Output):
    """One setting of a job."""

    name: str = field("The key of `--set KEY=VALUE`.")
    kind: str = field("Type of its values.")
    about: str = field("What it is.")
    default: str | None = field("Null where it depends on the cluster or has to be stated.")
    choices: tuple[str, ...] = field("The values of a choice.")
    required: bool = field("Whether the job is refused without it.")


class JobOutput(Output):
    """One job."""

    name: str = at("template.name", "Its name, for --job.")
    title: str = at("template.title", "What it is.")
    family: str = at("template.family", "The part of the list.")
    available: bool = field("Whether the cluster can run it.")
    reason: str | None = field("Why it cannot.")
    needs: tuple[str, ...] = field("Settings that have to be stated.")
    instance_type: str | None = at("target.instance_type", "The nodes that it runs on.")
    partition: str | None = at("target.partition", "The partition that it runs in.")
    nodes: Count | None = at("target.nodes", "Nodes that jobs can use there.")
    settings: tuple[SettingOutput, ...] = at("template.all_settings", "Its settings.")


class JobFileOutput(Output):
    """One rendered file."""

    job: str = field("The job.")
    name: str = field("The file's name.")
    path: str | None = field("Where it was written; null without --output.")
    text: str = field("Its content.")
    notes: tuple[str, ...] = field("What to know before it runs, such as the forecast of MLPerf.")


class RefusedOutput(Output):
    """A job that was left out."""

    job: str = field("The job.")
    reason: str = field("Why.")
    hint: str | None = field("What would make it possible.")


class RenderJobsOutput(Envelope):
    """With --list `jobs`, else `files` and `refused`."""

    command: Literal["render jobs"] = "render jobs"
    file: str = field("The file of the spec.")
    environment: str = field("The cluster's name.")
    jobs: tuple[JobOutput, ...] = field("With --list: every job, or those of --job.")
    files: tuple[JobFileOutput, ...] = field("The rendered files.")
    refused: tuple[RefusedOutput, ...] = field("Jobs that were left out, with the reason.")


OUTPUTS = (RenderJobsOutput,)


def jobs_json(
    environment: str,
    spec: str,
    *,
    jobs: Sequence[Listed] = (),
    files: Sequence[tuple[RenderedJob, Path | None]] = (),
    refused: Sequence[tuple[str, RefusedError]] = (),
) -> str:
    """The list or the files as JSON."""
    return json_text(
        RenderJobsOutput,
        exit_code=0,
        file=spec,
        environment=environment,
        jobs=tuple(jobs),
        files=tuple(Joined(job, path=None if path is None else str(path)) for job, path in files),
        refused=tuple(
            Joined(job=name, reason=error.reason, hint=error.hint) for name, error in refused
        ),
    )
