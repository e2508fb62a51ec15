"""Writes `docs/explanations/field-failures.md`: `python -m tools.docs field-failures`.

The list is `field-failures.yaml` beside the page; the tests that it names are in
`tests/field_failures`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from ruamel.yaml import YAML

ROOT: Final = Path(__file__).resolve().parents[2]
LIST: Final = ROOT / "docs" / "explanations" / "field-failures.yaml"
TESTS: Final = ROOT / "tests" / "field_failures"
METHOD: Final = Path(__file__).with_name("field_failures_method.md")
OWN_TEST: Final = "test_page.py"
"""The tests of the list and the page themselves."""

PLACES: Final = {
    "spec": "the file is refused: exit 3, each mistake at its line and column",
    "check": "`clusterwright check`, `check-job`, `cost` or `destroy-plan` reports it",
    "diff": "the review of a change reports it",
    "local-deployment": "the deployment fails on the local AWS, where it costs nothing",
    "rehearsal": "an emulated cluster shows it",
    "design": "it cannot occur, because of how the cluster is built",
}
NOT: Final = "not"
WISH: Final = "wish"

_KEYS: Final = frozenset(
    ("threads", "source", "what", "caught", "test", "later", "reason", "sample", "built")
)
SAMPLES: Final = {
    1: "The first sample, fixed before the product was built",
    2: "The second, searched for by symptom when the product was complete",
    3: "The third, of failures that the first two do not have",
    4: "The fourth, of failures that the first three do not have",
    5: "The fifth, of failures that the first four do not have",
    6: "The sixth, of failures that the first five do not have",
    7: "The seventh, of failures that the first six do not have",
    8: "The eighth, of failures that the first seven do not have",
    9: "The ninth, of failures that the first eight do not have, mostly in job files",
    10: "The tenth, of failures that the first nine do not have, in job files and manifests",
    11: "The eleventh, of failures that the first ten do not have, ten of clusters, ten of jobs",
}

_TOP: Final = """\
# Reported failures, and where they are caught

Generated from `field-failures.yaml` by `python -m tools.docs field-failures`.

This page measures how many of the failures that users of training clusters have reported in public
Clusterwright catches before any cost is incurred.
"""


class ListError(ValueError):
    """The list is invalid; the message names the entry."""


@dataclass(frozen=True)
class Entry:
    """One failure, defect or wish; `source` states where an unreported defect was found."""

    threads: tuple[str, ...]
    what: str
    caught: str
    source: str | None = None
    test: str | None = None
    later: str | None = None
    reason: str | None = None
    sample: int = 1
    built: bool = False
    """Nothing caught it when it was found; a mechanism was added afterwards."""

    @property
    def is_caught(self) -> bool:
        return self.caught in PLACES


def read(path: Path) -> tuple[Entry, ...]:
    """Every entry of the list, in its order.

    Raises
    ------
    ListError
        An entry is incomplete or has unexpected keys, or a thread is listed twice.
    """
    entries = tuple(_entry(data) for data in YAML(typ="safe").load(path))
    seen: set[str] = set()
    for entry in entries:
        for thread in entry.threads:
            if thread in seen:
                raise ListError(f"{thread} is listed twice")
            seen.add(thread)
    return entries


def homes(folder: Path) -> dict[str, str]:
    """Every test of the folder, with its file name."""
    found: dict[str, str] = {}
    for path in sorted(folder.glob("test_*.py")):
        if path.name == OWN_TEST:
            continue
        for statement in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(statement, ast.FunctionDef) and statement.name.startswith("test_"):
                found[statement.name] = path.name
    return found


def page(entries: Sequence[Entry], tests: dict[str, str]) -> str:
    """The whole page, from the list and the file of each test."""
    reported = [e for e in entries if e.caught != WISH and e.source is None]
    found = [e for e in entries if e.caught != WISH and e.source is not None]
    wishes = [e for e in entries if e.caught == WISH]
    caught = [e for e in reported if e.is_caught]
    missed = [e for e in reported if not e.is_caught]
    return "\n".join(
        [
            _TOP,
            f"**{len(caught)} of {len(reported)}** reported failures "
            f"({_threads(caught)} of {_threads(reported)} threads) are caught. "
            f"Not caught yet: {len(missed)} ({_threads(missed)} threads); "
            "[the list](#not-caught-yet) states what is missing.",
            "",
            *_samples(reported),
            METHOD.read_text(encoding="utf-8"),
            "| Where | Meaning | Reported failures | Threads | Unreported defects |",
            "|---|---|---|---|---|",
            *(_place_row(place, reported, found) for place in (*PLACES, NOT)),
            "",
            "## Not caught yet",
            "",
            *_table(missed, ("What", "Threads", "Missing"), tests),
            "",
            "## Caught",
            "",
            *_table(caught, ("What", "Threads", "Where", "Shown by", "Still missing"), tests),
            "",
            "## Unreported defects",
            "",
            "Found by reading or running published scripts and validators. "
            f"{sum(e.is_caught for e in found)} of {len(found)} cannot occur or are caught.",
            "",
            *_table(found, ("What", "Source", "Where", "Shown by", "Still missing"), tests),
            "",
            "## Wishes",
            "",
            "Requested features, and changes to other tools: these are not failures, so they are "
            f"not counted above. {sum(e.test is not None for e in wishes)} of {len(wishes)} are "
            "shown by a test.",
            "",
            *_table(wishes, ("What", "Threads", "Why it is not a failure", "Shown by"), tests),
            "",
        ]
    )


def _entry(data: dict[str, Any]) -> Entry:
    name = str(data.get("what", data))
    unknown = set(data) - _KEYS
    if unknown:
        raise ListError(f"{name}: unknown keys {', '.join(sorted(unknown))}")
    entry = Entry(**{**data, "threads": tuple(data.get("threads", ()))})
    for condition, message in (
        (entry.caught in (*PLACES, NOT, WISH), f"caught: {entry.caught} is not valid"),
        (entry.threads or entry.source, "neither threads nor a source"),
        (all("#" in thread for thread in entry.threads), "a thread without a number"),
        (entry.test is not None or not entry.is_caught, "caught, but without a test"),
        (entry.test is None or entry.caught != NOT, "not caught, but with a test"),
        (entry.later or entry.caught != NOT, "not caught, and `later` is missing"),
        (
            (entry.reason is not None) == (entry.caught == WISH),
            "`reason` is required for wishes only",
        ),
        (not entry.built or (entry.sample > 1 and entry.is_caught), "built, but not caught"),
        (entry.sample in SAMPLES, f"sample {entry.sample} is not described"),
    ):
        if not condition:
            raise ListError(f"{name}: {message}")
    return entry


def _threads(entries: Iterable[Entry]) -> int:
    return sum(len(entry.threads) for entry in entries)


def _samples(reported: Sequence[Entry]) -> Iterable[str]:
    """A line for each sample, where there is more than one."""
    if len({entry.sample for entry in reported}) < 2:
        return
    for number, name in SAMPLES.items():
        here = [entry for entry in reported if entry.sample == number]
        caught = sum(entry.is_caught for entry in here)
        text = f"- {name}: {caught} of {len(here)} ({_threads(here)} threads)"
        if number > 1:
            ready = sum(entry.is_caught and not entry.built for entry in here)
            text += f"; {ready} of them without an added mechanism"
        yield f"{text}."
    yield ""


def _place_row(place: str, reported: Sequence[Entry], found: Sequence[Entry]) -> str:
    here = [entry for entry in reported if entry.caught == place]
    meaning = PLACES.get(place, "nothing catches it")
    defects = sum(entry.caught == place for entry in found)
    return f"| {place} | {meaning} | {len(here)} | {_threads(here)} | {defects} |"


def _table(
    entries: Sequence[Entry], columns: Sequence[str], tests: dict[str, str]
) -> Iterable[str]:
    yield "| " + " | ".join(columns) + " |"
    yield "|" + "---|" * len(columns)
    for entry in entries:
        cells = {
            "What": entry.what,
            "Threads": ", ".join(_link(thread) for thread in entry.threads),
            "Source": ", ".join([str(entry.source), *(_link(t) for t in entry.threads)]),
            "Where": entry.caught,
            "Shown by": _shown(entry.test, tests),
            "Missing": entry.later or "",
            "Still missing": entry.later or "",
            "Why it is not a failure": entry.reason or "",
        }
        yield "| " + " | ".join(cells[column].replace("|", r"\|") for column in columns) + " |"


def _link(thread: str) -> str:
    """A thread as a link, if the owner of its repository is known."""
    repository, _, number = thread.partition("#")
    if "/" not in repository:
        return thread
    return f"[{thread}](https://github.com/{repository}/issues/{number})"


def _shown(test: str | None, tests: dict[str, str]) -> str:
    if test is None:
        return ""
    if test not in tests:
        raise ListError(f"there is no test {test}")
    return f"`{tests[test]}`: `{test}`"
