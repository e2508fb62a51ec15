"""Rendering: which jobs a cluster can run, and the file of each."""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

from clusterwright.catalog import Catalog
from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.container_images.stacks import stack_of_job
from clusterwright.job_templates import kubernetes
from clusterwright.job_templates.common import KUBERNETES_ONLY, SLURM_ONLY
from clusterwright.job_templates.facts import Target, needed, suitable, targets
from clusterwright.job_templates.plan import TrainingPlan
from clusterwright.job_templates.planned_layout import for_framework
from clusterwright.job_templates.settings import SettingError, parsed
from clusterwright.job_templates.slurm import plan_notes
from clusterwright.job_templates.template import Context, JobTemplate, RefusedError
from clusterwright.platforms.image_repositories import (
    repository_of_image,
    unlisted_repository,
    with_registry,
)

Launcher = Literal["slurm", "kubernetes"]

_SAVE_MINUTES: Final = 10
"""Time to save without a plan."""


@dataclass(frozen=True)
class Listed:
    """A job in the list: available, or refused with a reason."""

    template: JobTemplate
    available: bool
    reason: str | None
    needs: tuple[str, ...]
    target: Target | None


@dataclass(frozen=True)
class RenderedJob:
    """A job's file: its name and text, and what its user should know before it runs."""

    job: str
    name: str
    text: str
    notes: tuple[str, ...] = ()


def launcher_of(cluster: Cluster) -> Launcher:
    """The launcher of the platform."""
    return "slurm" if cluster.uses_slurm else "kubernetes"


def listed(cluster: Cluster, catalog: Catalog, template: JobTemplate) -> Listed:
    """Whether a cluster can run a job, why not, and the settings that have to be stated."""
    needs = tuple(setting.name for setting in template.settings if setting.required)
    if template.image == "required" or not cluster.uses_slurm:
        needs = ("image", *needs)
    if not cluster.uses_slurm and len(cluster.tenants) > 1:
        needs = ("tenant", *needs)
    try:
        target = _target(cluster, catalog, template, {})
    except RefusedError as error:
        return Listed(template, False, error.reason, needs, None)
    return Listed(template, True, None, needs, target)


def render(
    cluster: Cluster,
    catalog: Catalog,
    template: JobTemplate,
    given: Mapping[str, str],
    plan: TrainingPlan | None,
    now: dt.datetime,
) -> RenderedJob:
    """Return a job's file.

    Raises
    ------
    RefusedError
        The cluster cannot run the job, or a setting that it needs is not stated.
    SettingError
        A setting is wrong.
    """
    _check_launcher(cluster, given)
    if "image" in given:
        given = {**given, "image": with_registry(cluster, given["image"].strip())}
    target = _target(cluster, catalog, template, given)
    values = _values(target, template, given, plan)
    if plan is not None and template.trains:
        plan = for_framework(plan, template, values["nodes"] * target.accelerators)
    context = Context(cluster, catalog, target, template, values, plan, now.date())
    _check(context, now)
    form, ending = template.slurm, "sbatch"
    if not cluster.uses_slurm:
        form, ending = template.kubernetes, "yaml"
    assert form is not None
    name = f"{template.name}.{ending}"
    return RenderedJob(template.name, name, form(context), _notes(context))


def _notes(context: Context) -> tuple[str, ...]:
    template = context.template
    return (*plan_notes(context), *template.notes(context), *kubernetes.kind_notes(context))


def _check_launcher(cluster: Cluster, given: Mapping[str, str]) -> None:
    """Refuse settings of the other launcher. Raises SettingError."""
    refused = KUBERNETES_ONLY if cluster.uses_slurm else SLURM_ONLY
    for name in sorted(refused & set(given)):
        other = "Kubernetes" if cluster.uses_slurm else "Slurm"
        raise SettingError(
            f"--set {name}: {cluster.traits.title} does not run jobs with {other}", "leave it out"
        )


def _target(
    cluster: Cluster, catalog: Catalog, template: JobTemplate, given: Mapping[str, str]
) -> Target:
    if template.unavailable is not None:
        raise RefusedError(f"{template.name} is not offered: {template.unavailable}")
    launcher = launcher_of(cluster)
    if getattr(template, launcher) is None:
        name = "Kubernetes" if launcher == "kubernetes" else "Slurm"
        why = template.kubernetes_refusal if launcher == "kubernetes" else None
        raise RefusedError(
            f"{template.name} has no {name} form: {why}"
            if why
            else f"{template.name} has no {name} form, and {cluster.traits.title} runs jobs with "
            f"{name}"
        )
    all_targets = targets(cluster, catalog)
    chosen = _named(all_targets, given)
    fitting = suitable(chosen, template.runs_on)
    if not fitting:
        types = ", ".join(dict.fromkeys(t.instance_type for t in chosen)) or "none"
        raise RefusedError(
            f"{template.name} needs {needed(template.runs_on)}, and the compute nodes are {types}"
        )
    reasons = [template.refusal(target) for target in fitting]
    for target, reason in zip(fitting, reasons, strict=True):
        if reason is None:
            return target
    raise RefusedError(f"{template.name}: {reasons[0]}")


def _named(all_targets: tuple[Target, ...], given: Mapping[str, str]) -> tuple[Target, ...]:
    """The targets of the partition or the group that the user names."""
    found = all_targets
    partition, group = given.get("partition"), given.get("group")
    if partition is not None:
        found = tuple(target for target in found if target.partition == partition.strip())
        known = ", ".join(dict.fromkeys(str(target.partition) for target in all_targets))
        if not found:
            raise SettingError(
                f"--set partition: the cluster has no partition {partition!r} with nodes",
                f"it has {known}",
            )
    if group is not None:
        found = tuple(t for t in found if group.strip() in [g.name for g in t.groups])
        known = ", ".join(dict.fromkeys(g.name for t in all_targets for g in t.groups))
        if not found:
            raise SettingError(
                f"--set group: the cluster has no compute group {group!r} with nodes",
                f"it has {known}",
            )
    return found


def _values(
    target: Target, template: JobTemplate, given: Mapping[str, str], plan: TrainingPlan | None
) -> dict[str, Any]:
    found = parsed(template.all_settings, given)
    planned = plan.nodes if plan is not None and template.uses_plan else None
    found.setdefault("run", template.name)
    most = target.nodes
    if not target.cluster.uses_slurm:
        most = max(1, kubernetes.most_nodes(target, given))
    found.setdefault("nodes", min(planned or template.nodes or most, most))
    if template.trains:
        blocking = plan.blocking_seconds if plan is not None else None
        # Twice the time of one save, and time for the step that is running.
        minutes = _SAVE_MINUTES if not blocking else max(5, int(blocking * 2 / 60) + 5)
        if not template.save_signal and plan is not None and plan.interval_seconds:
            # The next regular checkpoint ends the step.
            minutes += math.ceil(plan.interval_seconds / 60)
        found.setdefault("save_minutes", minutes)
    # A job of Slurm is requeued at its time limit, one of Kubernetes ends.
    runs_on = template.trains or template.family == "serving"
    if "time" not in found and (target.cluster.uses_slurm or not runs_on):
        minutes = template.minutes
        if template.trains and target.max_minutes is not None and target.max_minutes < minutes:
            minutes = target.max_minutes
        found["time"] = target.time_limit(minutes)
    return found


def _check(context: Context, now: dt.datetime) -> None:
    target, values, template = context.target, context.values, context.template
    if values["nodes"] > target.nodes:
        raise SettingError(
            f"--set nodes: {values['nodes']} nodes, and jobs in "
            f"{target.partition or target.group.name} can have {target.nodes} "
            f"{target.instance_type}",
            f"at most nodes={target.nodes}",
        )
    last = context.last_minute
    if last is not None and last <= now:
        raise SettingError(
            f"--set capacity_ends: the instances stop at {last:%Y-%m-%d %H:%M} UTC, which is past"
        )
    needs_image = template.image == "required" or not context.cluster.uses_slurm
    if needs_image and values.get("image") is None:
        stack = stack_of_job(template.name)
        repository = repository_of_image(context.cluster, stack.name) if stack else None
        raise RefusedError(
            f"{template.name}: the digest of its image is unknown",
            f"pin it: --set image={repository or 'REGISTRY/REPOSITORY'}@sha256:DIGEST"
            + (", or a .sqsh file" if context.cluster.uses_slurm else ""),
        )
    for setting in template.settings:
        if setting.required and values.get(setting.name) is None:
            raise RefusedError(
                f"{template.name} needs the setting {setting.name}: {setting.about}",
                f"--set {setting.name}=VALUE",
            )
    _check_slurm(context)
    if not context.cluster.uses_slurm:
        kubernetes.check(context)
    _check_image(context)


def _check_slurm(context: Context) -> None:
    slurm, values, target = context.cluster.slurm, context.values, context.target
    if not context.cluster.uses_slurm:
        return
    names = [qos.name for qos in slurm.qos]
    if values.get("qos") is not None and values["qos"] not in names:
        raise SettingError(
            f"--set qos: the spec has no QOS {values['qos']!r}",
            f"it has {', '.join(names)}" if names else "add it to slurm.qos",
        )
    accounts = {"default", "root", *(account.name for account in slurm.accounts)}
    accounts |= {user.slurm_account for user in slurm.users}
    stated = values.get("account")
    if stated is not None and stated not in accounts and slurm.accounting.kind != "none":
        raise SettingError(
            f"--set account: the spec has no account {stated!r}",
            f"it has {', '.join(sorted(accounts))}",
        )
    if target.max_minutes is not None and values["time"] > target.max_minutes:
        raise SettingError(
            f"--set time: {values['time']} minutes, and partition {target.partition} allows "
            f"{target.max_minutes}",
            f"--set time={target.max_minutes}",
        )


def _check_image(context: Context) -> None:
    image = context.values.get("image")
    cluster = context.cluster
    if image is None:
        return
    if cluster.uses_slurm and not cluster.slurm.containers.pyxis:
        raise SettingError(
            "--set image: the spec has no container support on its nodes",
            "slurm.containers.pyxis: true, or leave image out and use an environment",
        )
    unlisted = unlisted_repository(cluster, image)
    if unlisted is not None:
        raise SettingError(
            f"--set image: nodes may not pull from {unlisted} of this account",
            f"add it to storage.image_repositories: `- {{name: {unlisted}}}`",
        )
    closed = cluster.network.egress == "closed"
    if closed and not image.startswith("/") and ".dkr.ecr." not in image.split("/")[0]:
        raise SettingError(
            f"--set image: {image.split('/')[0]} cannot be reached, the network is closed",
            "copy the image to a repository in Amazon ECR, or import it to a .sqsh file",
        )
