"""Cases as files for `promtool test rules`, with the annotations that are expected."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from clusterwright.alerts.alert import Alert
from tests.alerts.cases import CASES, PHASES, Case, Fired, Values
from tests.alerts.watched_clusters import rules_of
from tools.setup import promtool

with_promtool: Final = pytest.mark.skipif(
    not promtool.can_install() and not promtool.is_current(),
    reason="promtool is a package of Debian and Ubuntu",
)

_MINUTES: Final = 60
_LABEL: Final = re.compile(r"\{\{ \$labels\.(\w+) \}\}")
_VALUE: Final = re.compile(r"\{\{ \$value \|[^}]*\}\}")


def check(folder: Path, alerts: Iterable[Alert]) -> None:
    """Assert that the alerts of a family fire, stay quiet and clear as their cases say."""
    files = [path for alert in alerts for path in write(folder, alert.name, CASES[alert.name])]
    result = run(files)
    assert result.returncode == 0, result.stdout + result.stderr
    assert result.stdout.count("SUCCESS") == len(files) > 0


def write(folder: Path, name: str, cases: Iterable[Case]) -> list[Path]:
    """The tests of an alert; one file for each of its rule files."""
    found = []
    for number, case in enumerate(cases):
        rules = [
            rule for rule in rules_of(case.spec, priced=case.priced).rules if rule["alert"] == name
        ]
        assert rules, f"{name} has no rule in the spec {case.spec}"
        group = {"name": "g", "interval": "1m", "rules": rules}
        path = folder / f"{name}-{number}.rules.json"
        path.write_text(json.dumps({"groups": [group]}), encoding="utf-8")
        test = folder / f"{name}-{number}.json"
        test.write_text(json.dumps(_document(path, name, case, rules)), encoding="utf-8")
        found.append(test)
    return found


def run(files: Iterable[Path]) -> subprocess.CompletedProcess[str]:
    """One promtool for all files."""
    return subprocess.run(
        [str(promtool.program()), "test", "rules", *map(str, files)],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


def minutes(case: Case, for_minutes: int) -> Iterator[tuple[int, tuple[Fired, ...]]]:
    """When alerts are compared, and which are expected."""
    for index, phase in enumerate(PHASES):
        at = case.at.get(phase, (index + 1) * _MINUTES - 1)
        yield at, case.expected.get(phase, ())
    for minute in case.quiet_at:
        yield minute, ()
    if for_minutes > 1 and not case.at:
        # The condition holds from minute 60 at the earliest.
        yield _MINUTES + for_minutes - 1, ()


def _document(path: Path, name: str, case: Case, rules: list[dict[str, Any]]) -> dict[str, Any]:
    for_minutes = int(rules[0].get("for", "0m").removesuffix("m"))
    return {
        "rule_files": [path.name],
        "evaluation_interval": "1m",
        "tests": [
            {
                "interval": "1m",
                "name": f"{name} {case.title}".strip(),
                "input_series": [
                    {"series": series, "values": _values(values)} for series, values in case.series
                ],
                "alert_rule_test": [
                    {
                        "eval_time": f"{at}m",
                        "alertname": name,
                        "exp_alerts": [_expected(fired, rules) for fired in expected],
                    }
                    for at, expected in minutes(case, for_minutes)
                ],
            }
        ],
    }


def _values(values: Values) -> str:
    """promtool's notation: `5x59` is 60 samples of 5."""
    parts, last = [], 0.0
    for value in values:
        if value is None:
            parts.append(f"_x{_MINUTES}")
        elif isinstance(value, str):
            step = float(value)
            parts.append(f"{last + step:g}+{step:g}x{_MINUTES - 1}")
            last += step * _MINUTES
        else:
            parts.append(f"{value!r}+0x{_MINUTES - 1}")
            last = float(value)
    return " ".join(parts)


def _expected(fired: Fired, rules: list[dict[str, Any]]) -> dict[str, Any]:
    """The alert with its labels and annotations, as the rule's templates give them."""
    rule = next(rule for rule in rules if fired.labels.items() >= _own_labels(rule, fired).items())
    labels = {"cluster": "test", **fired.labels, **rule["labels"]}
    if not rule["expr"].startswith("(vector("):
        shown = labels
    else:
        shown = labels = {key: value for key, value in labels.items() if key != "cluster"}
    return {
        "exp_labels": labels,
        "exp_annotations": {
            key: _VALUE.sub(fired.value, _LABEL.sub(lambda m: shown.get(m.group(1), ""), text))
            for key, text in rule["annotations"].items()
        },
    }


def _own_labels(rule: dict[str, Any], fired: Fired) -> dict[str, str]:
    keys = ("group", "mountpoint")
    return {key: rule["labels"][key] for key in keys if key in rule["labels"] and fired}
