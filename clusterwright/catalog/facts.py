"""A value is known, with its source and date, or it is unknown, with the reason. Never a guess."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeAlias, TypeVar

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)


@dataclass(frozen=True)
class Known(Generic[T_co]):
    """A sourced value.

    Attributes
    ----------
    value:
        The value, in the unit that the name of the asked attribute says.
    source:
        Where it was read.
    date:
        As of when, as the source gives it: a day, a month, a range, or `undated`. `dates.as_of`
        turns it into a day.
    note:
        What a reader must know about it: a rounding, a contradicting source.
    derived:
        Arithmetic on sourced values; `note` says which.
    """

    value: T_co
    source: str
    date: str
    note: str = ""
    derived: bool = False


@dataclass(frozen=True)
class Unknown:
    """No source gives the value, or the sources contradict each other; `reason` says which."""

    reason: str

    @property
    def derived(self) -> bool:
        """Nothing follows from an unknown value."""
        return False


Fact: TypeAlias = Known[T] | Unknown
