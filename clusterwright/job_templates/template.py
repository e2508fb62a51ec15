"""A job template, and what its functions get."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from clusterwright.catalog import Catalog, Known
from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.job_templates.common import common_settings
from clusterwright.job_templates.facts import RunsOn, Target
from clusterwright.job_templates.plan import TrainingPlan
from clusterwright.job_templates.settings import Setting
from clusterwright.jobs.rules.j015_capacity_end import ENDING
from clusterwright.sizing.plan_types import Layout

Family = Literal[
    "bring-up", "pre-training", "fine-tuning", "mlperf", "data", "checkpoints", "serving"
]
FAMILIES: Final[tuple[Family, ...]] = (
    "bring-up",
    "pre-training",
    "fine-tuning",
    "mlperf",
    "data",
    "checkpoints",
    "serving",
)
ImageUse = Literal["none", "optional", "required"]


class RefusedError(Exception):
    """The job cannot be rendered for this cluster or with these settings."""

    def __init__(self, reason: str, hint: str | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.hint = hint


@dataclass(frozen=True)
class Context:
    """What a template's functions get.

    Attributes
    ----------
    target:
        The nodes.
    values:
        Typed values of the settings, by name.
    ends:
        When the capacity ends (`--set capacity_ends=TIME`); None if the user did not say.
    today:
        For prices.
    """

    cluster: Cluster
    catalog: Catalog
    target: Target
    template: JobTemplate
    values: Mapping[str, Any]
    plan: TrainingPlan | None = None
    today: dt.date | None = None

    def count(self, name: str) -> int:
        """A setting that is a whole number."""
        return int(self.values[name])

    def text(self, name: str) -> str:
        """A setting that is a text, a path or a choice."""
        return str(self.values[name])

    def optional(self, name: str) -> Any:
        """A setting, or None."""
        return self.values.get(name)

    @property
    def ends(self) -> dt.datetime | None:
        return self.values.get("capacity_ends")

    @property
    def last_minute(self) -> dt.datetime | None:
        """When AWS stops the instances of the capacity, which is before its end."""
        if self.ends is None:
            return None
        kinds = [g.capacity.kind for g in self.target.groups if g.capacity.kind in ENDING]
        early = self.catalog.limit(ENDING[kinds[0]][1]) if kinds else None
        minutes = float(early.value) if isinstance(early, Known) else 0
        return self.ends - dt.timedelta(minutes=minutes)

    @property
    def nodes(self) -> int:
        return self.count("nodes")

    @property
    def shared_path(self) -> str:
        """Mount path of the shared file system. Raises RefusedError without one."""
        if self.target.shared_path is None:
            raise RefusedError(
                "the cluster has no FSx for Lustre file system, where its data would be",
                "add storage.lustre to the spec",
            )
        return self.target.shared_path.rstrip("/")

    @property
    def checkpoint_path(self) -> str:
        """The folder of this run's checkpoints. Raises RefusedError."""
        stated = self.values.get("checkpoints")
        if stated is not None:
            return str(stated)
        path = self.target.checkpoint_path
        if path is None:
            return f"{self.shared_path}/checkpoints/{self.text('run')}"
        return f"{path.rstrip('/')}/{self.text('run')}"

    @property
    def run_path(self) -> str:
        """The folder of the run's own files."""
        return f"{self.shared_path}/runs/{self.text('run')}"


def _always(_target: Target) -> str | None:
    return None


def _every_layout(_layout: Layout, _layers: int | None) -> str | None:
    return None


def _no_notes(_context: Context) -> tuple[str, ...]:
    return ()


@dataclass(frozen=True)
class JobTemplate:
    """One job.

    Attributes
    ----------
    name, title, family:
        `nccl-tests`, one line, the part of the list that it is in.
    about:
        What it does, for the reference page: one or two sentences.
    runs_on:
        The accelerators that it needs.
    settings:
        Its own; those of every job are in `common`.
    slurm, kubernetes:
        The function that returns the file's text for this launcher; None without such a form.
    nodes:
        Default number of nodes; None for all. With a plan training jobs take the plan's.
    minutes:
        Default time limit.
    image:
        Whether it can or has to run in a container.
    refusal:
        Why it cannot run on a target, such as Trn1; None if it can.
    unavailable:
        Why no cluster can run it: the job is named only to be refused with a reason.
    source:
        Where its form is from.
    save_signal:
        The signal on which a training program saves and ends; empty if it has none. Then the job
        ends after its next regular checkpoint.
    kubernetes_refusal:
        Why it has no form on Kubernetes, as the end of a sentence.
    notes:
        What a user should know before the job runs: in the file's heading, and on stderr.
    measures:
        Whether it measures layouts of the plan, without checkpoints.
    communicates:
        Whether its nodes communicate, so that EFA's variables are set.
    layout_refusal:
        Why the framework cannot run a layout of a model with so many layers (None if unknown), as
        the end of a sentence; None if it can. The job then has the plan's next layout.
    untried:
        What no source or package confirms, for the reference page.
    """

    name: str
    title: str
    family: Family
    about: str
    runs_on: RunsOn
    source: str
    slurm: Callable[[Context], str] | None = None
    kubernetes: Callable[[Context], str] | None = None
    settings: tuple[Setting, ...] = ()
    nodes: int | None = None
    minutes: int = 60
    image: ImageUse = "none"
    trains: bool = False
    refusal: Callable[[Target], str | None] = field(default=_always)
    unavailable: str | None = None
    kubernetes_refusal: str | None = None
    notes: Callable[[Context], tuple[str, ...]] = field(default=_no_notes)
    save_signal: str = "USR1"
    untried: tuple[str, ...] = ()
    measures: bool = False
    communicates: bool = True
    layout_refusal: Callable[[Layout, int | None], str | None] = field(default=_every_layout)

    @property
    def uses_nccl(self) -> bool:
        """Whether its processes communicate over NCCL."""
        return self.communicates and self.runs_on == "nvidia"

    @property
    def uses_plan(self) -> bool:
        """Whether its sizes are those of the plan."""
        return self.trains or self.measures

    @property
    def all_settings(self) -> tuple[Setting, ...]:
        """The settings of every job, then its own."""
        return (*self.common, *self.settings)

    @property
    def common(self) -> tuple[Setting, ...]:
        """The settings of every job like this one."""
        return common_settings(
            self.settings,
            image=self.image != "none",
            trains=self.trains,
            nccl=self.uses_nccl,
        )
