"""Known values with source and date, and unknown values with a reason."""

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
        The value, in the unit of the attribute's name.
    source:
        Title of the source.
    date:
        Date in the source: a day, a month, a range, or `undated`. `dates.as_of` returns a day.
    note:
        Remarks: a rounding, a contradicting source.
    derived:
        Whether it is computed from sourced values, as described in `note`.
    """

    value: T_co
    source: str
    date: str
    note: str = ""
    derived: bool = False


@dataclass(frozen=True)
class Unknown:
    """A value without a source, or with contradicting sources, as described in `reason`."""

    reason: str

    @property
    def derived(self) -> bool:
        """Always False."""
        return False


Fact: TypeAlias = Known[T] | Unknown
