"""The results of `dcgmi diag --json`, and what to do about its failures.

Three forms exist: the root `DCGM GPU Diagnostic` with `test_categories`, the root `categories`,
and the root `tests`, whose results name entities instead of GPUs. Text may stand before the JSON.
An output without a single result is no pass. Statuses that are not known are not passes either.

The actions are data, in `dcgm_actions.json`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Optional

PASS, FAIL, WARN, SKIP, NOT_RUN = "pass", "fail", "warn", "skip", "not run"
_STATUSES = {
    "pass": PASS,
    "passed": PASS,
    "ok": PASS,
    "fail": FAIL,
    "failed": FAIL,
    "error": FAIL,
    "warn": WARN,
    "warning": WARN,
    "skip": SKIP,
    "skipped": SKIP,
    "n/a": SKIP,
    "not applicable": SKIP,
}
_NAME = re.compile(r"DCGM_FR_([A-Z0-9_]+)")
_TEXT_ROW = re.compile(r"^\|[\s>|-]*(?P<name>[A-Za-z][^|]*?)\s*\|\s*(?P<said>[^|]*?)\s*\|\s*$")
_SEVERITY = ("none", "report", "reboot", "replace")


class UnreadableOutput(Exception):
    """The output has no result of the diagnostic; the message says what it has instead."""


@dataclass(frozen=True)
class Result:
    """One test on some devices. `codes` are DCGM's names without `DCGM_FR_`, or its numbers."""

    test: str
    devices: str
    status: str
    messages: tuple[str, ...] = ()
    codes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Action:
    """`action` is none, report, reboot or replace."""

    action: str
    reason: str


def parse(output: str) -> list[Result]:
    """The results in the program's output, in any of its three forms.

    Raises
    ------
    UnreadableOutput
        The output is cut off, or has no test.
    """
    if "{" not in output:
        return _text(output)
    document = _document(output)
    root = document.get("DCGM GPU Diagnostic", document)
    if not isinstance(root, dict):
        raise UnreadableOutput("the diagnostic's result is not an object")
    found = list(_results(root))
    if not found:
        said = root.get("runtime_error") or root.get("RuntimeError") or root.get("error")
        raise UnreadableOutput(str(said) if said else _last_line(output, "no test was run"))
    return found


def decide(results: Sequence[Result], table: Mapping[str, Any]) -> Action:
    """The most severe action of the failed tests; `none` if none failed and one passed.

    Raises
    ------
    UnreadableOutput
        Every test was skipped or not run, so nothing is known.
    """
    failed = [result for result in results if result.status == FAIL]
    if not failed:
        if not any(result.status in (PASS, WARN) for result in results):
            raise UnreadableOutput("every test was skipped")
        left_out = [result.test for result in results if result.status == NOT_RUN]
        if left_out:
            raise UnreadableOutput(f"{left_out[0]} was not run to its end")
        return Action("none", "")
    actions = [_of_result(result, table) for result in failed]
    return max(actions, key=lambda action: _SEVERITY.index(action.action))


def read_table() -> dict[str, Any]:
    path = Path(__file__).with_name("dcgm_actions.json")
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found


def action_of_code(code: str, table: Mapping[str, Any]) -> str:
    """The action for a DCGM code, by name or number; `report` if the table does not have it."""
    name = table["numbers"].get(code, code)
    for group, names in table["codes"].items():
        if name in names:
            return str(table["actions"][group]["action"])
    return "report"


def _of_result(result: Result, table: Mapping[str, Any]) -> Action:
    named = [table["numbers"].get(code, code) for code in result.codes]
    actions = [action_of_code(code, table) for code in result.codes] or ["report"]
    worst = max(actions, key=_SEVERITY.index)
    what = result.messages[0] if result.messages else ", ".join(named) or "no message"
    return Action(worst, f"{result.test} failed on {result.devices}: {what}"[:200])


def _document(output: str) -> dict[str, Any]:
    start = output.find("{")
    try:
        found, _ = json.JSONDecoder().raw_decode(output[start:])
    except ValueError as error:
        raise UnreadableOutput(f"its JSON cannot be read: {error}") from error
    if not isinstance(found, dict):
        raise UnreadableOutput("its JSON is not an object")
    return found


def _text(output: str) -> list[Result]:
    """The rows of the table that is printed without `--json`."""
    found: list[Result] = []
    for line in output.splitlines():
        match = _TEXT_ROW.match(line.strip())
        if match is None:
            continue
        name, said = match.group("name"), match.group("said")
        status, _, devices = (part.strip() for part in said.partition(" - "))
        if status.lower() in _STATUSES and name != "Diagnostic":
            where = "the node" if devices in ("", "All") else devices
            found.append(Result(name, where, _STATUSES[status.lower()]))
        elif name in ("Warning", "Error") and found:
            last = found[-1]
            codes = (*last.codes, *_NAME.findall(said))
            found[-1] = replace(last, messages=(*last.messages, said), codes=codes)
    if not found:
        raise UnreadableOutput(_last_line(output, "no output"))
    return found


def _results(root: Mapping[str, Any]) -> Iterator[Result]:
    groups = [root]
    for key in ("test_categories", "categories"):
        groups += _objects(root.get(key))
    for group in groups:
        for test in _objects(group.get("tests")):
            name = str(test.get("name") or test.get("test_name") or "a test")
            rows = _objects(test.get("results"))
            if rows:
                for row in rows:
                    yield _result(name, row)
            elif "status" in test:
                yield _result(name, test)
            summary = test.get("test_summary")
            if isinstance(summary, dict) and not rows:
                yield _result(name, summary)


def _result(name: str, row: Mapping[str, Any]) -> Result:
    messages, codes = [], []
    for item in _listed(row.get("warnings")):
        if isinstance(item, dict):
            messages.append(str(item.get("warning", "")).strip())
            if "error_id" in item:
                codes.append(str(item["error_id"]))
        else:
            messages.append(str(item).strip())
    for text in messages:
        codes += _NAME.findall(text)
    word = " ".join(str(row.get("status", "")).lower().split())
    return Result(
        name, _devices(row), _STATUSES.get(word, NOT_RUN), tuple(filter(None, messages)),
        tuple(codes),
    )  # fmt: skip


def _devices(row: Mapping[str, Any]) -> str:
    ids = row.get("gpu_ids", row.get("gpu_id"))
    if ids is not None:
        return f"GPU {ids}"
    if "entity_id" in row:
        return f"{row.get('entity_group', 'entity')} {row['entity_id']}"
    return "the node"


def _objects(value: object) -> list[Mapping[str, Any]]:
    """The objects of a list; DCGM 3 prints `null` between tests."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _listed(value: object) -> list[object]:
    return value if isinstance(value, list) else [] if value is None else [value]


def _last_line(output: str, otherwise: Optional[str] = None) -> str:
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    return lines[-1][:120] if lines else str(otherwise)
