"""The forms of a probe, of its sources and of operations that change an account."""

from __future__ import annotations

import datetime as dt
import re
from typing import Annotated, Any, Final

from pydantic import BaseModel, ConfigDict, Field, model_validator

ID: Final = r"^[a-z0-9]+(-[a-z0-9]+)*$"
_CALL: Final = re.compile(r"^[a-z0-9-]+\.[A-Z][A-Za-z0-9]*$")
_OPERATORS: Final = frozenset({"equals", "matches", "any_of", "contains", "length", "is"})
_FORMS: Final = frozenset({"absent", "present", "string", "number", "list", "map", "time"})


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Source(_Model):
    """Where a fact about AWS comes from: a page that was read, or who recorded it on AWS."""

    title: str
    url: str | None = None
    recorded_by: str | None = None
    date: dt.date

    def __str__(self) -> str:
        if self.recorded_by is not None:
            return f"as recorded on AWS by {self.recorded_by} on {self.date}: {self.title}"
        return f"{self.title} ({self.url or 'packaged with botocore'}, read {self.date})"


class Call(_Model):
    """One API call and its parameters, which may name saved values as `${name}`."""

    service: str
    operation: str
    parameters: dict[str, Any]

    def __str__(self) -> str:
        return f"{self.service}.{self.operation}"


class Refusal(_Model):
    """The error that AWS answers; `code` may be a list of codes that AWS's pages both name."""

    code: Any
    message: Any = None
    status: int | None = None


class Step(_Model):
    """One call and what AWS answers.

    Parameters
    ----------
    save:
        Names and the paths (JMESPath) of members of the answer that later steps use.
    answer:
        Paths of members, and what AWS answers there: a value, or a map with one operator of
        `equals`, `matches`, `any_of`, `contains`, `length` and `is`.
    until:
        The same; the call is repeated until it holds, for `wait_s` seconds at most.
    untagged:
        Why the run's tag is not added to what this step creates.
    """

    call: Call
    error: Refusal | None = None
    save: dict[str, str] = Field(default_factory=dict)
    answer: dict[str, Any] = Field(default_factory=dict)
    until: dict[str, Any] = Field(default_factory=dict)
    wait_s: float = 300
    untagged: str | None = None

    @model_validator(mode="before")
    @classmethod
    def _short(cls, value: Any) -> Any:
        """Read the short form: the only key with a dot is the call, its value the parameters."""
        if not isinstance(value, dict) or "call" in value:
            return value
        calls = [key for key in value if _CALL.match(str(key))]
        if len(calls) != 1:
            raise ValueError(f"a step has one call, this one has {calls}")
        service, _, operation = calls[0].partition(".")
        rest = {key: item for key, item in value.items() if key != calls[0]}
        error = rest.get("error")
        if error is not None and not (isinstance(error, dict) and "code" in error):
            rest["error"] = {"code": error}
        call = {"service": service, "operation": operation, "parameters": value[calls[0]] or {}}
        return {**rest, "call": call}

    @model_validator(mode="after")
    def _consistent(self) -> Step:
        if self.error is not None and (self.answer or self.until or self.save):
            raise ValueError("a refused call has no answer")
        for expected in (*self.answer.values(), *self.until.values()):
            check_form(expected)
        if self.error is not None:
            check_form(self.error.code)
            check_form(self.error.message)
        return self


class Probe(_Model):
    """A scenario of a few calls that shows one behaviour of AWS."""

    id: Annotated[str, Field(pattern=ID)]
    shows: str
    sources: list[str] = Field(min_length=1)
    steps: list[Step] = Field(min_length=1)

    @model_validator(mode="after")
    def _shows_something(self) -> Probe:
        if not any(step.error or step.answer or step.until for step in self.steps):
            raise ValueError(f"the probe {self.id} expects nothing")
        return self


class ProbeFile(_Model):
    """The probes of one service."""

    service: str
    probes: list[Probe]


class Undo(_Model):
    """The call that deletes what an operation made; `${request...}`, `${answer...}` are its own.

    `until` waits for the end of the deletion, by repeating `wait`.
    """

    call: str
    parameters: dict[str, Any]
    wait: str | None = None
    wait_parameters: dict[str, Any] = Field(default_factory=dict)
    until: dict[str, Any] = Field(default_factory=dict)


class Operation(_Model):
    """What an operation that changes an account leaves, and what that costs.

    Parameters
    ----------
    undo:
        How to delete it; absent where `leaves` states why nothing of its own remains.
    resource_type:
        EC2's type of resource in TagSpecifications.
    price_usd:
        An upper bound for one call, with everything deleted within the hour; None if no source
        states it. What a parent's price includes costs 0.
    price_source:
        The source of the price, by name.
    """

    undo: Undo | None = None
    leaves: str | None = None
    resource_type: str | None = None
    price_usd: float | None = Field(default=None, ge=0)
    price_source: str | None = None

    @model_validator(mode="after")
    def _complete(self) -> Operation:
        if (self.undo is None) == (self.leaves is None):
            raise ValueError("an operation has either `undo` or `leaves`")
        if self.price_usd is not None and self.price_source is None:
            raise ValueError("a price has a source")
        return self


def check_form(expected: Any) -> None:
    """Refuse an expectation that could not be evaluated.

    Raises
    ------
    ValueError
        An unknown operator, form or regular expression.
    """
    if not isinstance(expected, dict):
        return
    if len(expected) != 1 or next(iter(expected)) not in _OPERATORS:
        raise ValueError(f"{expected} is not one operator of {', '.join(sorted(_OPERATORS))}")
    ((operator, value),) = expected.items()
    if operator == "is" and value not in _FORMS:
        raise ValueError(f"{value!r} is not one of {', '.join(sorted(_FORMS))}")
    if operator == "matches":
        re.compile(value)
