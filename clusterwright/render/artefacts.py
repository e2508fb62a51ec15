"""Artefacts and the results of mirroring them, as text and JSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from clusterwright.artefacts import UNKNOWN, Artefact
from clusterwright.artefacts.mirror import Outcome
from clusterwright.artefacts.pin import Pinned
from clusterwright.json_output.envelope import json_answer


def listed(artefacts: Sequence[Artefact], output_format: str) -> str:
    """The list as text or JSON."""
    if output_format == "json":
        return json_answer(
            "artefacts list", 0, {"artefacts": [_data(artefact) for artefact in artefacts]}
        )
    widths = [
        max((len(value(artefact)) for artefact in artefacts), default=0)
        for value in (_name, _version, _architecture)
    ]
    lines = [
        f"{_name(artefact):{widths[0]}}  {_version(artefact):{widths[1]}}  "
        f"{_architecture(artefact):{widths[2]}}  {artefact.sha256 or UNKNOWN}"
        for artefact in artefacts
    ]
    unknown = sum(artefact.sha256 is None for artefact in artefacts)
    lines.append(f"\n{len(artefacts)} artefacts, {unknown} with an unknown checksum")
    return "\n".join(lines) + "\n"


def mirrored(
    bucket: str,
    outcomes: Sequence[Outcome],
    unanswered: str | None,
    exit_code: int,
    output_format: str,
) -> str:
    """The result of each artefact as text or JSON; `unanswered` is the AWS error that ended it."""
    if output_format == "json":
        rows = [
            {
                **_data(outcome.artefact),
                "status": outcome.status,
                "key": outcome.key,
                "reason": outcome.reason,
            }
            for outcome in outcomes
        ]
        fields = {"bucket": bucket, "artefacts": rows, "unanswered": unanswered}
        return json_answer("artefacts mirror", exit_code, fields)
    lines = [_line(outcome) for outcome in outcomes]
    if unanswered is not None:
        lines.append(f"AWS did not answer: {unanswered}")
    counts = Counter(outcome.status for outcome in outcomes)
    totals = ", ".join(f"{count} {status}" for status, count in counts.items()) or "nothing"
    lines.append(f"\ns3://{bucket}: {totals}")
    if counts["refused"]:
        lines.append("hint: --pin accepts unknown checksums; review the changed list")
    elif counts["pinned"]:
        lines.append("hint: the list has changed; review and commit it")
    return "\n".join(lines) + "\n"


def pinned(lock_path: str, outcomes: Sequence[Pinned], exit_code: int, output_format: str) -> str:
    """The checksum of each artefact as text or JSON."""
    if output_format == "json":
        rows = [{**_data(o.artefact), "status": o.status, "reason": o.reason} for o in outcomes]
        return json_answer("artefacts pin", exit_code, {"list": lock_path, "artefacts": rows})
    lines: list[str] = []
    for outcome in outcomes:
        artefact = outcome.artefact
        lines.append(f"{outcome.status:8}  {artefact.label}: {outcome.reason or artefact.url}")
        if outcome.reason is None:
            lines.append(f"          {artefact.sha256}  {artefact.size_bytes:,} bytes")
    counts = Counter(outcome.status for outcome in outcomes)
    totals = ", ".join(f"{count} {status}" for status, count in counts.items()) or "nothing"
    lines.append(f"\n{lock_path}: {totals}")
    if counts["pinned"]:
        lines.append("hint: compare the checksums with the published ones, then commit the list")
    return "\n".join(lines) + "\n"


def _line(outcome: Outcome) -> str:
    reason = outcome.reason or outcome.key or ""
    return f"{outcome.status:8}  {outcome.artefact.label}: {reason}"


def _data(artefact: Artefact) -> dict[str, Any]:
    return {
        "name": artefact.name,
        "version": artefact.version,
        "architecture": artefact.architecture,
        "url": artefact.url,
        "sha256": artefact.sha256,
        "size_bytes": artefact.size_bytes,
        "source": artefact.source,
        "used_by": list(artefact.used_by),
    }


def _name(artefact: Artefact) -> str:
    return artefact.name


def _version(artefact: Artefact) -> str:
    return artefact.version


def _architecture(artefact: Artefact) -> str:
    return artefact.architecture
