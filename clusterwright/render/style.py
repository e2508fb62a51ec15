"""Terminal colours, which are off in pipes and with NO_COLOR."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

_CODES = {
    "error": "1;31",
    "warning": "1;33",
    "info": "1;34",
    "unknown": "1;35",
    "pass": "32",
    "hint": "36",
    "dim": "2",
    "bold": "1",
}


@dataclass(frozen=True)
class Style:
    """Colours text by its meaning; without colour the text is unchanged.

    Output must be readable without colour.
    """

    colour: bool = False

    @classmethod
    def of(cls, stream: Any, environment: Mapping[str, str] | None = None) -> Style:
        """The style of a stream: colour on a terminal, unless NO_COLOR is set or TERM is dumb."""
        environment = os.environ if environment is None else environment
        terminal = bool(getattr(stream, "isatty", lambda: False)())
        refused = environment.get("NO_COLOR") or environment.get("TERM") == "dumb"
        return cls(terminal and not refused)

    def paint(self, meaning: str, text: str) -> str:
        """`text` in the colour of `meaning`, one of the keys of `_CODES`."""
        return f"\x1b[{_CODES[meaning]}m{text}\x1b[0m" if self.colour else text


PLAIN = Style()
