"""Rules of composite alarms: functions of the states of other alarms, with AND, OR and NOT.

https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_PutCompositeAlarm.html. The
function AT_LEAST is not implemented. The form of the message is that which users quote:
https://github.com/aws/aws-cdk/issues/34662.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from clusterwright_localaws.core.errors import AwsError

StateOf = Callable[[str], str]
"""Returns the state of the alarm of a name."""

_CALL: Final = re.compile(
    r"(ALARM|OK|INSUFFICIENT_DATA)\s*\(\s*(\"(?:[^\"\\]|\\.)*\"|[^\"()\s]+)\s*\)"
)
_TOKEN: Final = re.compile(r"[^\s()]+|[()]")
_WORD: Final = re.compile(r"[A-Z_]+\b|[()]")
_DEEPEST: Final = 50
"""Levels of parentheses and NOT that are read; AWS publishes no number."""
_MOST_ALARMS: Final = 100
"""Alarms of a rule (API reference, PutCompositeAlarm)."""


@dataclass(frozen=True)
class Rule:
    """A rule that was read: its alarms, in order, and how it is evaluated.

    An alarm of another account or region, which no rule may name, is its ARN; others are names.
    """

    alarms: tuple[str, ...]
    holds: Callable[[StateOf], bool]


@dataclass
class _Reader:
    text: str
    home: str
    position: int = 0
    depth: int = 0
    alarms: list[str] = field(default_factory=list)

    def rule(self) -> Rule:
        holds = self._either()
        if self._skip() < len(self.text):
            raise self._unsupported()
        alarms = tuple(dict.fromkeys(self.alarms))
        if len(alarms) > _MOST_ALARMS:
            # The text is ours.
            message = f"AlarmRule names {len(alarms)} alarms; the limit is {_MOST_ALARMS}."
            raise AwsError("ValidationError", message)
        return Rule(alarms, holds)

    def _either(self) -> Callable[[StateOf], bool]:
        parts = [self._both()]
        while self._take("OR"):
            parts.append(self._both())
        return lambda state_of: any(part(state_of) for part in parts)

    def _both(self) -> Callable[[StateOf], bool]:
        parts = [self._one()]
        while self._take("AND"):
            parts.append(self._one())
        return lambda state_of: all(part(state_of) for part in parts)

    def _one(self) -> Callable[[StateOf], bool]:
        self.depth += 1
        if self.depth > _DEEPEST:
            raise self._unsupported()
        try:
            if self._take("NOT"):
                inner = self._one()
                return lambda state_of: not inner(state_of)
            if self._take("("):
                inner = self._either()
                if not self._take(")"):
                    raise self._unsupported()
                return inner
            for word, value in (("TRUE", True), ("FALSE", False)):
                if self._take(word):
                    return lambda _, value=value: value  # type: ignore[misc]
            return self._function()
        finally:
            self.depth -= 1

    def _function(self) -> Callable[[StateOf], bool]:
        found = _CALL.match(self.text, self._skip())
        if found is None:
            raise self._unsupported()
        self.position = found.end()
        state, quoted = found.groups()
        bare = quoted[1:-1] if quoted.startswith('"') else quoted
        name = re.sub(r"\\(.)", r"\1", bare).removeprefix(self.home)
        self.alarms.append(name)
        return lambda state_of: state_of(name) == state

    def _skip(self) -> int:
        while self.position < len(self.text) and self.text[self.position].isspace():
            self.position += 1
        return self.position

    def _take(self, word: str) -> bool:
        found = _WORD.match(self.text, self._skip())
        if found is None or found.group() != word:
            return False
        self.position = found.end()
        return True

    def _unsupported(self) -> AwsError:
        found = _TOKEN.match(self.text, self._skip())
        token = found.group() if found is not None else ""
        return AwsError(
            "ValidationError",
            f"Error in AlarmRule [Unsupported token '{token}' at char {self.position}]",
        )


@functools.lru_cache(maxsize=4_096)
def read(text: str, home: str) -> Rule:
    """Read a rule; `home` is what precedes the name in ARNs of alarms of its account and region.

    Raises
    ------
    AwsError
        ValidationError: the text is no rule, or names too many alarms.
    """
    return _Reader(text, home).rule()
