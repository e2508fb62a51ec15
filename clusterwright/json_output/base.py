"""Base class, field types and envelope of the JSON output models.

A model reads its fields from the attributes of a result (`from_attributes`); a `validation_alias`
names the attribute where its name differs. A field with `optional()` is left out where it is None.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Annotated, Any, Literal, TypeVar

from pydantic import AliasPath, BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema

from clusterwright.cluster_spec.problems import path_text
from clusterwright.json_output.envelope import SCHEMA_VERSION, plain_number, to_json


class Output(BaseModel):
    """One JSON object of an output."""

    model_config = ConfigDict(
        from_attributes=True,
        frozen=True,
        defer_build=True,
        json_schema_serialization_defaults_required=True,
    )


def field(description: str, **keywords: Any) -> Any:
    """A field with a description."""
    return Field(description=description, **keywords)


def optional(description: str, **keywords: Any) -> Any:
    """A field that only an option adds: absent where it is None."""
    return field(description, default=None, exclude_if=lambda value: value is None, **keywords)


def at(path: str, description: str, default: object = None, **keywords: Any) -> Any:
    """A field at a dotted path of the result; `default` where an object on the way is None."""
    return field(
        description,
        default=default,
        validate_default=True,
        validation_alias=AliasPath(*path.split(".")),
        **keywords,
    )


class Envelope(Output):
    """The keys of every JSON document."""

    schema_version: Literal[1] = Field(
        default=SCHEMA_VERSION,
        description="Goes up when a key is renamed or removed; new keys do not change it.",
    )
    command: str = field("The command that wrote the document.")
    exit_code: Literal[0, 1, 2, 70] = field("The exit code of the command.")


class Joined:
    """Attributes of several objects as one source of a model; `values` come first."""

    def __init__(self, *sources: object, **values: object) -> None:
        self.__dict__.update(values)
        self._sources = sources

    def __getattr__(self, name: str) -> Any:
        for source in self._sources:
            if hasattr(source, name):
                return getattr(source, name)
        raise AttributeError(name)


def json_text(model: type[Output], *sources: object, **values: object) -> str:
    """The JSON document of a model whose fields are read from `values`, then from `sources`."""
    output = model.model_validate(Joined(*sources, **values))
    return to_json(output.model_dump(by_alias=True))


def _rounded(value: Any) -> Any:
    return plain_number(round(value, 6)) if isinstance(value, Decimal) else value


def _path_text(value: Any) -> Any:
    return path_text(value) if isinstance(value, tuple) else value


def _called(value: Any) -> Any:
    return value() if callable(value) else value


Value = TypeVar("Value")
_Exact = BeforeValidator(plain_number)
_Rounded = BeforeValidator(_rounded)

Called = BeforeValidator(_called)
"""The field is the result of a method without arguments."""

Count = Annotated[int, WithJsonSchema({"type": "integer", "minimum": 0})]
PositiveCount = Annotated[int, WithJsonSchema({"type": "integer", "minimum": 1})]
Number = Annotated[int | float, _Exact, WithJsonSchema({"type": "number"})]
NotNegative = Annotated[int | float, _Exact, WithJsonSchema({"type": "number", "minimum": 0})]
Positive = Annotated[
    int | float, _Exact, WithJsonSchema({"type": "number", "exclusiveMinimum": 0})
]
Usd = Annotated[int | float, _Rounded, WithJsonSchema({"type": "number", "minimum": 0})]
"""US dollars, rounded to six decimals."""
UsdChange = Annotated[int | float, _Rounded, WithJsonSchema({"type": "number"})]
"""A difference in US dollars, rounded to six decimals."""
RuleId = Annotated[str, WithJsonSchema({"type": "string", "pattern": r"^CW-[A-Z]\d{3}$"})]


class SpecProblem(Output):
    """One problem of the spec or of the prices."""

    message: str = field("What is wrong, in a sentence.")
    path: Annotated[str, BeforeValidator(_path_text)] = field(
        "The key, such as `compute[2].count`; empty for the whole file."
    )
    file: str | None = at("position.file", "The file, as it was named.")
    line: PositiveCount | None = at("position.line", "Line, from 1.")
    column: PositiveCount | None = at("position.column", "Column, from 1.")
    note: str | None = field("A second position that the problem refers to.")
    hint: str | None = field("What to do about it.")


class ProblemsOutput(Envelope):
    """The spec, the prices or the goal are wrong: exit code 3."""

    exit_code: Literal[3] = 3  # type: ignore[assignment]
    problems: Annotated[tuple[SpecProblem, ...], Field(min_length=1)] = field(
        "Every problem, in the order of the file."
    )


def problems_json(command: str, problems: object) -> str:
    """The JSON document of a command that stops with exit code 3."""
    return json_text(ProblemsOutput, command=command, problems=problems)
