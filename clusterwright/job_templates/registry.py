"""Index of the job templates: every module of `templates/` has one, `TEMPLATE`."""

from __future__ import annotations

import importlib
from functools import cache
from pathlib import Path
from typing import Final

from clusterwright.cluster_spec.suggest import closest
from clusterwright.job_templates.template import FAMILIES, JobTemplate

_PACKAGE: Final = "clusterwright.job_templates.templates"


class UnknownJobError(Exception):
    """No job has this name; `near` are similar names."""

    def __init__(self, name: str, near: list[str]) -> None:
        super().__init__(name)
        self.name = name
        self.near = near


@cache
def all_templates() -> tuple[JobTemplate, ...]:
    """Return every template, by family, then by name.

    Raises
    ------
    TypeError
        A module has no template, or one with another name, which is an internal error.
    """
    found = []
    for file in sorted((Path(__file__).parent / "templates").glob("*.py")):
        if file.stem == "__init__":
            continue
        template = getattr(importlib.import_module(f"{_PACKAGE}.{file.stem}"), "TEMPLATE", None)
        if not isinstance(template, JobTemplate) or template.name.replace("-", "_") != file.stem:
            raise TypeError(f"{file.stem} does not have the template of its name")
        found.append(template)
    return tuple(sorted(found, key=lambda one: (FAMILIES.index(one.family), one.name)))


def template_named(name: str) -> JobTemplate:
    """Return the template of a name. Raises UnknownJobError."""
    for template in all_templates():
        if template.name == name.strip().lower().replace("_", "-"):
            return template
    raise UnknownJobError(name, closest(name, [t.name for t in all_templates()]))
