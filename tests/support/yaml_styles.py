"""The same data as YAML in many layouts: brackets, lines, quotes, comments, gaps."""

from __future__ import annotations

import random
import re
from typing import Any

PLAIN = re.compile(r"[a-z][a-z0-9.-]*")


class Writer:
    """Writes data in a layout that `rng` chooses; comments are `# c1`, `# c2`, and so on."""

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng
        self._comments = 0

    def text(self, data: dict[str, Any]) -> str:
        """A whole document."""
        chosen = self._rng.random()
        if chosen < 0.25:
            return f"{self._flow(data, 0)}\n"
        return ("---\n" if chosen < 0.4 else "") + self._block(data, 0)

    def _comment(self) -> str:
        self._comments += 1
        return f"# c{self._comments}"

    def _likely(self, share: float) -> bool:
        return self._rng.random() < share

    def _key(self, key: str) -> str:
        return self._rng.choice([key, key, f'"{key}"', f"'{key}'"])

    def _scalar(self, value: Any, *, in_brackets: bool) -> str:
        if value is None:
            return self._rng.choice(["null", "~"] if in_brackets else ["null", "~", ""])
        if isinstance(value, bool):
            return str(value).lower()
        if not isinstance(value, str):
            return str(value)
        if self._likely(0.3):
            return "'" + value.replace("'", "''") + "'"
        if self._likely(0.3) or not PLAIN.fullmatch(value) or value in ("null", "true", "false"):
            return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
        return value

    def _flow(self, value: Any, indent: int) -> str:
        if not isinstance(value, dict | list):
            return self._scalar(value, in_brackets=True)
        lines = self._likely(0.5)
        if isinstance(value, dict):
            items = [f"{self._key(k)}: {self._flow(v, indent + 2)}" for k, v in value.items()]
        else:
            items = [self._flow(item, indent + 2) for item in value]
        text = ""
        for index, item in enumerate(items):
            text += self._gap(indent, lines) + item
            last = index == len(items) - 1
            if last and not self._likely(0.25):
                continue
            text += self._gap(indent, lines) if self._likely(0.2) else ""
            text += "," if lines or last else ", "
            if lines and self._likely(0.2):
                text += f" {self._comment()}\n" + " " * (indent + 1)
        text += self._gap(indent, lines)
        return f"{{{text}}}" if isinstance(value, dict) else f"[{text}]"

    def _gap(self, indent: int, lines: bool) -> str:
        if not lines or self._likely(0.4):
            return " " * self._rng.randrange(2)
        text = (f" {self._comment()}" if self._likely(0.4) else "") + "\n"
        while self._likely(0.3):
            text += " " * self._rng.randrange(indent, indent + 4) + f"{self._comment()}\n"
        return text + " " * (indent + self._rng.randrange(1, 4))

    def _block(self, value: Any, indent: int) -> str:
        pad = " " * indent
        text = ""
        for item in value.items() if isinstance(value, dict) else value:
            while self._likely(0.2):
                text += " " * self._rng.randrange(indent, indent + 3) + f"{self._comment()}\n"
            text += "\n" if self._likely(0.15) else ""
            if isinstance(value, dict):
                text += f"{pad}{self._key(item[0])}:{self._value(item[1], indent)}"
            elif isinstance(item, dict) and item and self._likely(0.6):
                text += f"{pad}-" + self._beside_the_dash(item, indent)
            else:
                text += f"{pad}-" + self._value(item, indent, of_list=True)
        return text

    def _beside_the_dash(self, item: dict[str, Any], indent: int) -> str:
        width = self._rng.choice([1, 1, 3])
        (key, first), *others = item.items()
        inner = indent + 1 + width
        text = " " * width + f"{self._key(key)}:{self._value(first, inner)}"
        return text + (self._block(dict(others), inner) if others else "")

    def _value(self, value: Any, indent: int, *, of_list: bool = False) -> str:
        tail = f" {self._comment()}" if self._likely(0.3) else ""
        if isinstance(value, dict | list) and value and self._likely(0.6):
            flat = isinstance(value, list) and not of_list
            step = self._rng.choice([2, 0] if flat else [2, 4, 1])
            return f"{tail}\n{self._block(value, indent + step)}"
        if isinstance(value, str) and value and value == value.strip() and self._likely(0.1):
            # Deeper than the comments that follow, which would belong to it.
            return f" {self._rng.choice(['|-', '>-'])}\n" + " " * (indent + 6) + f"{value}\n"
        if isinstance(value, dict | list):
            text = self._flow(value, indent + 1)
        else:
            text = self._scalar(value, in_brackets=False)
        return (f" {text}" if text else "") + f"{tail}\n"


def comments(text: str) -> set[str]:
    """The comments of a text that `Writer` wrote."""
    return set(re.findall(r"# c\d+", text))
