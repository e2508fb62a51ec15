"""Evidence for tests."""

from __future__ import annotations

import datetime as dt
from typing import Any

from clusterwright.diagnosis import engine
from clusterwright.diagnosis.log_lines import Line, Place, evidence
from clusterwright.diagnosis.model import Evidence, Finding

NOW = dt.datetime(2026, 11, 23, 8, 0, tzinfo=dt.UTC)
CONTEXT = engine.Context("configs/prod.yaml", "prod", "111122223333", "us-east-1")


def item(kind: str, text: str, **values: Any) -> Evidence:
    return Evidence(kind, f"the {kind}s", values.pop("id", "1"), None, text, **values)


def of_log(text: str, **place: Any) -> tuple[Evidence, ...]:
    lines = [Line(line, number) for number, line in enumerate(text.splitlines(), start=1)]
    return evidence(lines, Place("a log", "stream", **place))


def findings(*given: Evidence) -> tuple[Finding, ...]:
    return engine.findings(given, CONTEXT)


def signature_of(kind: str, text: str) -> tuple[str, ...]:
    """The signatures of the findings about one statement that its source calls a failure; `unknown`
    where none knows it, whatever its words say.
    """
    found = findings(item(kind, text, failed=True, resource="x"))
    return tuple("unknown" if f.signature == "statement" else f.signature for f in found)
