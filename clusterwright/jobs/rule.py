"""The base class of rules on job files, and what a rule returns."""

from __future__ import annotations

import re
import sys
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final, Generic, TypeVar

from clusterwright.jobs.container_job import container_jobs
from clusterwright.jobs.job import Job
from clusterwright.jobs.job_file import Launcher, Step
from clusterwright.jobs.lexer import Unread
from clusterwright.jobs.manifest_file import Item
from clusterwright.jobs.manifests import Manifests
from clusterwright.jobs.options import Option
from clusterwright.jobs.shell import Assignment, Command, Word
from clusterwright.preflight.results import Amount, Severity

__all__ = [
    "Assignment",
    "Command",
    "ContainerRule",
    "Fail",
    "FileRule",
    "Item",
    "Job",
    "JobRule",
    "Launcher",
    "ManifestRule",
    "Manifests",
    "Option",
    "Results",
    "Step",
    "Unknown",
    "Word",
]

Place = Option | Word | Assignment | Step | Command | Unread | Item | None

_OF_SLURM: Final = re.compile(r"(?i)slurm|srun|sbatch|scontrol|ntasks|\btasks?\b")

Subject = TypeVar("Subject", Job, Manifests)
"""A file together with its cluster."""


@dataclass(frozen=True, kw_only=True)
class Fail:
    """A violation; the engine creates a `Finding` from it.

    Attributes
    ----------
    at:
        What it is about: an option, a word, an assignment, a step, a value of a manifest; None
        for the whole file.
    severity:
        If it is not that of the rule.
    """

    message: str
    at: Place = None
    hint: str | None = None
    severity: Severity | None = None
    requested: Amount = None
    limit: Amount = None
    where: str | None = None


@dataclass(frozen=True, kw_only=True)
class Unknown:
    """What the rule could not check, because the file could not be read there."""

    message: str
    at: Place = None
    hint: str | None = None


Results = Iterator[Fail | Unknown]


class FileRule(ABC, Generic[Subject]):
    """A rule on files of jobs: an id, a row of the reference, a failing and a passing test.

    An error is what surely fails: sbatch refuses the file, the job never starts, or its processes
    end. What costs time, data or money under conditions that the file does not show is a warning.
    """

    id: str
    title: str
    """What the rule requires: the first line of the docstring of the rule's module."""
    severity: Severity
    prevents: str
    """What happens without the rule."""
    source: str
    """Source of the limit or the failure."""
    files: str
    """What it reads, in the plural."""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if "id" in vars(cls):
            lines = (sys.modules[cls.__module__].__doc__ or "").splitlines()
            cls.title = lines[0].rstrip(".") if lines else cls.id

    def skipped(self, job: Subject) -> str | None:  # noqa: ARG002
        """Return why the rule does not run, such as a missing option of the command."""
        return None

    @abstractmethod
    def check(self, job: Subject) -> Results:
        """Yield the violations in a file."""


class JobRule(FileRule[Job]):
    """A rule on batch scripts of Slurm."""

    files = "batch scripts"
    containers = False
    """Whether it also holds for programs and variables of containers."""


class ManifestRule(FileRule[Manifests]):
    """A rule on manifests of Kubernetes."""

    files = "manifests"


class ContainerRule(ManifestRule):
    """A rule on batch scripts, for the containers of manifests."""

    def __init__(self, rule: JobRule) -> None:
        self.rule = rule
        self.id, self.title, self.severity = rule.id, rule.title, rule.severity
        self.prevents, self.source = rule.prevents, rule.source

    def check(self, manifests: Manifests) -> Results:
        for job in container_jobs(manifests):
            if self.rule.skipped(job) is not None:
                continue
            for found in self.rule.check(job):
                of_slurm = found.hint is not None and _OF_SLURM.search(found.hint)
                yield replace(found, hint=None) if of_slurm else found
