"""JSON Schemas of the JSON outputs, generated from the models.

`python -m tools.docs` writes schema/<command>-output.schema.json; `--check`
compares them with the committed files. Keys may be added to an output without a new version, so
unknown keys are allowed.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from functools import cache, reduce
from operator import or_
from typing import Any, Literal

from pydantic import TypeAdapter, create_model
from pydantic.json_schema import GenerateJsonSchema

from clusterwright.json_output import (
    accept,
    capacity,
    check,
    check_job,
    cost,
    destroy_plan,
    diagnose,
    diff,
    drift,
    goodput,
    layouts,
    migrate,
    node,
    node_cost,
    plan,
    render_jobs,
    scaling,
    status,
    topology,
)
from clusterwright.json_output.base import Output, ProblemsOutput

_COMMANDS = {
    "render-jobs": "render jobs",
    "report-cost": "report cost",
    "report-goodput": "report goodput",
    "report-layouts": "report layouts",
    "report-scaling": "report scaling",
}
"""Commands whose name is not that of the file."""


class _Generator(GenerateJsonSchema):
    """Without titles and defaults, which repeat what a reader of an output sees anyway."""

    def field_title_should_be_set(self, schema: Any) -> bool:  # noqa: ARG002
        return False

    def dataclass_schema(self, schema: Any) -> dict[str, Any]:
        """With descriptions from the "Attributes" of the dataclass's docstring."""
        found = super().dataclass_schema(schema)
        text, attributes = _docstring(schema["cls"])
        found["description"] = text
        for name, description in attributes.items():
            if name in found["properties"]:
                found["properties"][name]["description"] = description
        return found

    def default_schema(self, schema: Any) -> dict[str, Any]:
        return self.generate_inner(schema["schema"])


def _docstring(cls: type) -> tuple[str, dict[str, str]]:
    """The text of a numpydoc docstring, and its attributes with their descriptions."""
    lines = inspect.cleandoc(cls.__doc__ or "").splitlines()
    end = lines.index("Attributes") if "Attributes" in lines else len(lines)
    attributes: dict[str, str] = {}
    names: list[str] = []
    for line in lines[end + 2 :]:
        if not line.startswith(" "):
            names = [name.strip() for name in line.removesuffix(":").split(",")]
        for name in names if line.startswith(" ") else ():
            attributes[name] = f"{attributes.get(name, '')} {line.strip()}".strip()
    return " ".join(" ".join(lines[:end]).split()), attributes


@cache
def schemas() -> Mapping[str, dict[str, Any]]:
    """Content of each file, by its name; callers change nothing in it."""
    return {
        f"{name}-output.schema.json": output_schema(_COMMANDS.get(name, name), *module.OUTPUTS)
        for name, module in (
            ("accept", accept),
            ("capacity", capacity),
            ("check", check),
            ("check-job", check_job),
            ("cost", cost),
            ("destroy-plan", destroy_plan),
            ("diagnose", diagnose),
            ("diff", diff),
            ("drift", drift),
            ("migrate", migrate),
            ("node", node),
            ("plan", plan),
            ("render-jobs", render_jobs),
            ("report-cost", node_cost),
            ("report-goodput", goodput),
            ("report-layouts", layouts),
            ("report-scaling", scaling),
            ("status", status),
            ("topology", topology),
        )
    }


def output_schema(command: str, *outputs: type[Output]) -> dict[str, Any]:
    """The schema of a command's JSON: one of `outputs`, or the problems of exit code 3."""
    fields: Any = {"command": (Literal[command], command)}
    problems = create_model("ProblemsOutput", __base__=ProblemsOutput, **fields)
    title = f"The output of `clusterwright {command} --format json`"
    return document_schema(title, *outputs, problems)


def document_schema(title: str, *models: type[Output]) -> dict[str, Any]:
    """The schema of a JSON document that is one of `models`."""
    union: Any = reduce(or_, models)
    schema = TypeAdapter(union).json_schema(mode="serialization", schema_generator=_Generator)
    if "anyOf" in schema:
        schema["oneOf"] = schema.pop("anyOf")
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": title, **schema}
