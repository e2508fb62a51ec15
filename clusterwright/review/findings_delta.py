"""Comparison of the findings of two versions."""

from __future__ import annotations

import re
from collections.abc import Iterable

from clusterwright.cluster_spec import LoadedSpec
from clusterwright.preflight.results import CheckResult, Finding
from clusterwright.review.results import FindingsDelta

_INDEX = re.compile(r"\b(compute|lustre|buckets|partitions|repositories)\[(\d+)\]")


def findings_delta(
    before: CheckResult | None,
    after: CheckResult,
    *,
    base: LoadedSpec | None,
    change: LoadedSpec,
) -> FindingsDelta:
    """The findings that are new, fixed, waived by the change, or the same."""
    old = _named(before.findings if before is not None else (), base)
    new = _named(after.findings, change)
    known = {(key, finding.message) for key, finding in old}
    now = {key for key, _ in new}
    was_waived = {
        (w.finding.rule, w.finding.path) for w in (before.waived if before is not None else ())
    }
    return FindingsDelta(
        new=tuple(f for key, f in new if (key, f.message) not in known),
        fixed=tuple(f for key, f in old if key not in now and not _waived_now(f, after)),
        waived=tuple(
            w for w in after.waived if (w.finding.rule, w.finding.path) not in was_waived
        ),
        standing=tuple(f for key, f in new if (key, f.message) in known),
        unanswered=after.unanswered,
    )


def _waived_now(finding: Finding, after: CheckResult) -> bool:
    return any(
        (w.finding.rule, w.finding.path) == (finding.rule, finding.path) for w in after.waived
    )


def _named(
    findings: Iterable[Finding], spec: LoadedSpec | None
) -> list[tuple[tuple[str, str], Finding]]:
    """Findings by rule and path; list items by name, so that a moved group keeps its findings."""
    return [((f.rule, _path(f.path, spec)), f) for f in findings]


def _path(path: str, spec: LoadedSpec | None) -> str:
    if spec is None:
        return path
    names = {
        "compute": [group.name for group in spec.cluster.compute],
        "lustre": [str(file_system.name) for file_system in spec.cluster.storage.lustre],
    }

    def name(found: re.Match[str]) -> str:
        items = names.get(found.group(1), [])
        index = int(found.group(2))
        return f"{found.group(1)}[{items[index]}]" if index < len(items) else found.group()

    return _INDEX.sub(name, path)
