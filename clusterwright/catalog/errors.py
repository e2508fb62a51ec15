"""Errors of catalogue directories and of a user's prices."""

from __future__ import annotations

from dataclasses import dataclass


class CatalogError(Exception):
    """A catalogue directory cannot be read: missing, damaged, or of another version."""

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


@dataclass(frozen=True)
class PriceProblem:
    """One error in `configs/prices.yaml`."""

    message: str
    path: tuple[str | int, ...]


class PriceOverrideError(Exception):
    """A user's prices are invalid; `problems` has all errors."""

    def __init__(self, problems: tuple[PriceProblem, ...]) -> None:
        super().__init__("; ".join(f"{_dotted(p.path)}: {p.message}" for p in problems))
        self.problems = problems


def _dotted(path: tuple[str | int, ...]) -> str:
    text = ""
    for part in path:
        if isinstance(part, int):
            text += f"[{part}]"
        else:
            text += f".{part}" if text else part
    return text or "(document)"
