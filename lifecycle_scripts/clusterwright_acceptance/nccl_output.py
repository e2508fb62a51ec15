"""The output of nccl-tests and nccom-test.

nccl-tests prints rows of 13 columns: size, count, type, redop, root, then time, algbw, busbw and
#wrong out of place and in place. With `srun --label` or mpirun each line has a prefix (`0: `,
`[1,0]<stdout>:`). A run that was cut off has no average line and is not a result.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Optional

_PREFIX = re.compile(r"^(?:\s*\d+:\s?|\[\d+,\d+\]<std(?:out|err)>:\s?)")
_NUMBER = r"[0-9.]+(?:[eE][+-]?\d+)?"
_ROW = re.compile(
    r"^\s*(?P<size>\d+)\s+(?P<count>\d+)\s+(?P<type>\w+)\s+(?P<op>\w+)\s+(?P<root>-?\d+)"
    rf"\s+(?P<time>{_NUMBER})\s+(?P<alg>{_NUMBER})\s+(?P<bus>{_NUMBER})\s+(?P<wrong>\S+)"
    rf"(?:\s+(?P<time2>{_NUMBER})\s+(?P<alg2>{_NUMBER})\s+(?P<bus2>{_NUMBER})"
    r"\s+(?P<wrong2>\S+))?\s*$"
)
_BOUNDS = re.compile(r"Out of bounds values\s*:\s*(\d+)\s*(\w+)")
_AVERAGE = re.compile(rf"Avg bus bandwidth\s*:\s*({_NUMBER})")
_PROVIDER = re.compile(
    r"NET/OFI Selected provider is (?P<provider>[\w;-]+)"
    r"(?:, fabric is (?P<fabric>[\w-]+))?(?: \(found (?P<nics>\d+) nics\))?",
    re.IGNORECASE,
)


class BadOutput(Exception):
    """The output is not a result; the message says why."""


@dataclass(frozen=True)
class Row:
    """One message size. `busbw` is out of place, in GB/s; `wrong` is None if not checked."""

    size_bytes: int
    time_us: float
    busbw: float
    busbw_in_place: Optional[float]
    wrong: Optional[int]


@dataclass(frozen=True)
class Report:
    """A finished run."""

    rows: tuple[Row, ...]
    average: float
    out_of_bounds: int

    @property
    def wrong(self) -> int:
        """Wrong values in all rows."""
        return self.out_of_bounds + sum(row.wrong or 0 for row in self.rows)

    def busbw(self, size_bytes: int) -> float:
        """Raises BadOutput if the run did not have the size."""
        for row in self.rows:
            if row.size_bytes == size_bytes:
                return row.busbw
        raise BadOutput(f"the output has no row of {size_bytes} bytes")


@dataclass(frozen=True)
class Provider:
    """What NCCL's plug-in chose: `efa`, `efa-direct` and the number of interfaces."""

    name: str
    fabric: Optional[str]
    nics: Optional[int]


def stripped(output: str) -> list[str]:
    """The lines without the prefixes of srun and mpirun."""
    return [_PREFIX.sub("", line) for line in output.splitlines()]


def parse(output: str) -> Report:
    """The result of nccl-tests. Raises BadOutput if the run has not finished."""
    rows, average, bounds = [], None, None
    for line in stripped(output):
        match = _ROW.match(line)
        if match:
            in_place = match.group("bus2")
            counts = [_wrong(match.group(name)) for name in ("wrong", "wrong2")]
            known = [count for count in counts if count is not None]
            rows.append(
                Row(
                    int(match.group("size")),
                    float(match.group("time")),
                    float(match.group("bus")),
                    None if in_place is None else float(in_place),
                    sum(known) if known else None,
                )
            )
        found = _BOUNDS.search(line)
        if found:
            bounds = int(found.group(1))
            if found.group(2) != "OK" and bounds == 0:
                raise BadOutput(f"out of bounds values: {found.group(2)}")
        found = _AVERAGE.search(line)
        if found:
            average = float(found.group(1))
    if not rows:
        raise BadOutput(_error(output) or "the output has no results")
    if average is None or bounds is None:
        raise BadOutput(_error(output) or "the run did not finish: its last lines are missing")
    return Report(tuple(rows), average, bounds)


def providers(output: str) -> list[Provider]:
    """What each process reports, with NCCL_DEBUG=INFO; empty if none does."""
    return [
        Provider(
            match.group("provider"),
            match.group("fabric"),
            None if match.group("nics") is None else int(match.group("nics")),
        )
        for match in _PROVIDER.finditer(output)
    ]


def why_not_efa(output: str, interfaces: Optional[int]) -> Optional[str]:
    """Why the run did not use EFA with all interfaces of its type; None if it did.

    Without the plug-in NCCL uses TCP and reports success.
    """
    found = providers(output)
    if not found:
        if re.search(r"NET/Socket|Using network Socket", output):
            return "NCCL used TCP sockets, not EFA: its plug-in was not loaded"
        return "the output does not name the network that NCCL used"
    for provider in found:
        if not provider.name.startswith("efa"):
            return f"NCCL selected the provider {provider.name}, not efa"
        if interfaces is not None and provider.nics is not None and provider.nics != interfaces:
            return f"NCCL found {provider.nics} of {interfaces} EFA interfaces"
    if interfaces is not None and all(provider.nics is None for provider in found):
        return "the output does not say how many EFA interfaces NCCL found"
    return None


def parse_nccom(text: str) -> dict[int, float]:
    """Bus bandwidths in GB/s by size in bytes, of nccom-test's JSON report.

    Raises BadOutput if it has no results.
    """
    try:
        rows = json.loads(text)["results"]
        found = {int(row["size(B)"]): float(row["busbw(GB/s)"]) for row in rows}
    except (ValueError, KeyError, TypeError) as error:
        raise BadOutput("nccom-test wrote no report") from error
    if not found:
        raise BadOutput("nccom-test's report has no results")
    return found


def _wrong(word: Optional[str]) -> Optional[int]:
    return int(float(word)) if word is not None and re.fullmatch(_NUMBER, word) else None


def _error(output: str) -> Optional[str]:
    """The first line that names the failure."""
    for line in stripped(output):
        if re.search(r"(?:Test (?:NCCL|CUDA) failure|NCCL WARN|error:|unhandled|Aborted)", line):
            return line.strip()[:160]
    return None
