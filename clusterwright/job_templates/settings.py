"""Settings of a job: `--set KEY=VALUE`, with types, defaults and errors.

Values are written into shell scripts, so that texts and paths are limited to characters that have
no meaning to a shell.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

from clusterwright.cluster_spec.suggest import closest
from clusterwright.jobs import values as slurm_values

Kind = Literal["count", "number", "text", "path", "image", "time", "minutes", "choice", "flag"]

WORDS: Final[Mapping[Kind, str]] = {
    "count": "an integer of at least 1",
    "number": "a number greater than 0",
    "text": "letters, digits and the characters . _ - + = : / @ , %",
    "path": "an absolute path of letters, digits and the characters . _ - + = : @ , %",
    "image": "REGISTRY/REPOSITORY@sha256:DIGEST, or the absolute path of a .sqsh file",
    "time": "a time with a time zone, such as 2026-12-24T11:30Z",
    "minutes": "a time limit of Slurm, such as 90, 12:00:00 or 2-00:00:00",
    "choice": "one of its names",
    "flag": "yes or no",
}
_TEXT: Final = re.compile(r"[A-Za-z0-9._+=:/@,%][A-Za-z0-9._+=:/@,%-]{0,399}")
_PATH: Final = re.compile(r"/[A-Za-z0-9._+=:/@,%-]{0,399}")
_PINNED: Final = re.compile(
    r"(?:[a-z0-9][a-z0-9.-]*(?::\d{1,5})?/)[a-z0-9._/-]+(?::[A-Za-z0-9._-]{1,128})?"
    r"@sha256:[0-9a-f]{64}"
)
_MOST: Final = 10**15


class SettingError(Exception):
    """A setting is unknown, or its value is wrong; `hint` says what to write."""

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.hint = hint


@dataclass(frozen=True)
class Setting:
    """One setting.

    Attributes
    ----------
    about:
        What it is, in one line.
    default:
        In words or as the value; None if it has to be stated or depends on the cluster.
    choices:
        Of a `choice`.
    required:
        Whether the job is refused without a value.
    """

    name: str
    kind: Kind
    about: str
    default: str | None = None
    choices: tuple[str, ...] = ()
    required: bool = False

    def parse(self, text: str) -> Any:
        """Return the typed value. Raises SettingError."""
        try:
            return _PARSERS[self.kind](self, text.strip())
        except ValueError as error:
            detail = str(error)
            raise SettingError(
                f"--set {self.name}: expected {self._words()}, got {text[:80]!r}", detail or None
            ) from None

    def _words(self) -> str:
        if self.choices:
            return f"one of {', '.join(self.choices)}"
        return WORDS[self.kind]


def parsed(settings: Iterable[Setting], given: Mapping[str, str]) -> dict[str, Any]:
    """Return the typed values of the settings that are given or have a default.

    Raises
    ------
    SettingError
        A value is wrong.
    """
    found: dict[str, Any] = {}
    for setting in settings:
        text = given.get(setting.name, setting.default)
        if text is not None:
            found[setting.name] = setting.parse(text)
    return found


def pairs(texts: Iterable[str]) -> dict[str, str]:
    """Return the values of `KEY=VALUE` texts by key. Raises SettingError."""
    found: dict[str, str] = {}
    for text in texts:
        key, equals, value = text.partition("=")
        if not equals or not key.strip():
            raise SettingError(f"--set {text[:80]!r} is not KEY=VALUE", "such as --set nodes=4")
        if key.strip() in found:
            raise SettingError(f"--set {key.strip()} is given twice", "give it once")
        found[key.strip()] = value
    return found


def refuse_unknown(given: Iterable[str], known: Iterable[str], jobs: str) -> None:
    """Refuse keys that no rendered job has. Raises SettingError."""
    names = sorted(set(known))
    for key in given:
        if key not in names:
            near = closest(key, names, count=1)
            raise SettingError(
                f"--set: {jobs} {'have' if ',' in jobs else 'has'} no setting {key[:80]!r}",
                f"did you mean `{near[0]}`?" if near else f"settings: {', '.join(names)}",
            )


def _count(_setting: Setting, text: str) -> int:
    if not re.fullmatch(r"[0-9]{1,15}", text) or not 1 <= int(text) <= _MOST:
        raise ValueError
    return int(text)


def _number(_setting: Setting, text: str) -> float:
    if (
        not re.fullmatch(r"[0-9]{0,15}\.?[0-9]{0,15}(?:[eE]-?[0-9]{1,2})?", text)
        or not float(text) > 0
    ):
        raise ValueError
    return float(text)


def _text(_setting: Setting, text: str) -> str:
    if not _TEXT.fullmatch(text):
        raise ValueError
    return text


def _path(_setting: Setting, text: str) -> str:
    if not _PATH.fullmatch(text) or ".." in text.split("/"):
        raise ValueError
    return text.rstrip("/") or "/"


def _image(_setting: Setting, text: str) -> str:
    if _PINNED.fullmatch(text) or (_PATH.fullmatch(text) and text.endswith(".sqsh")):
        return text
    if re.fullmatch(r"[A-Za-z0-9._:/#-]+", text):
        raise ValueError(
            "a tag can be moved to other content: read the digest once, with "
            "`docker buildx imagetools inspect IMAGE` or `aws ecr describe-images`"
        )
    raise ValueError


def _time(_setting: Setting, text: str) -> dt.datetime:
    found = _read_time(text)
    if found.tzinfo is None:
        raise ValueError("add Z for UTC")
    return found.astimezone(dt.UTC)


def _read_time(text: str) -> dt.datetime:
    try:
        return dt.datetime.fromisoformat(text)
    except ValueError:
        raise ValueError from None


def _minutes(_setting: Setting, text: str) -> int:
    try:
        found = slurm_values.minutes(text)
    except ValueError:
        raise ValueError from None
    if found is None or not 1 <= found < _MOST:
        raise ValueError
    return int(found)


def _choice(setting: Setting, text: str) -> str:
    if text not in setting.choices:
        near = closest(text, setting.choices, count=1)
        raise ValueError(f"did you mean `{near[0]}`?" if near else "")
    return text


def _flag(_setting: Setting, text: str) -> bool:
    if text.lower() not in ("yes", "no", "true", "false"):
        raise ValueError
    return text.lower() in ("yes", "true")


_PARSERS: Final = {
    "count": _count,
    "number": _number,
    "text": _text,
    "path": _path,
    "image": _image,
    "time": _time,
    "minutes": _minutes,
    "choice": _choice,
    "flag": _flag,
}
