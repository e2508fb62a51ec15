"""Programs that are known by the form of their lines, and units of systemd: see `programs.py`."""

from __future__ import annotations

from typing import Final

from clusterwright.diagnosis import (
    parts_daemons,
    parts_mountpoint,
    parts_nvidia,
    parts_operators,
    systemd_results,
)
from clusterwright.diagnosis.programs import Programs
from clusterwright.diagnosis.signature import Signature, Values

_TEXT: Final = ("log", "job")
_DRIFT: Final = "clusterwright drift {file}"
_REBOOT: Final = "clusterwright node reboot {file} {nodes} --because {because}"
_ACCEPT: Final = "clusterwright accept {file} --nodes {nodes} --level full"

_TABLE: Final = (
    *parts_daemons.PROGRAMS,
    *parts_nvidia.PROGRAMS,
    *parts_operators.PROGRAMS,
    parts_mountpoint.MOUNTPOINT,
)
KNOWN: Final = Programs(_TABLE)


def _error(values: Values) -> str | None:
    return KNOWN.error(values["line"])


def _event(values: Values) -> str | None:
    return parts_operators.event(values["line"])


SIGNATURES: Final = (
    Signature(
        "nvidia-driver",
        parts_nvidia.driver,
        (
            r"\bNVRM: (?P<said>(?![^\n]*\bXid\b)[^\n]*(?:fail|error|invalid|unexpected|Assertion|Timed out|"
            r"NV_ERR_|\blost\b|cannot|Unable|\bbad\b|conflicting|Can't find)[^\n]*)",
            r"\bnvidia (?P<said>[0-9a-f:.]{7,14}: probe [^\n]{0,60}failed[^\n]*)",
        ),
        confidence="likely",
        rank=1,
        kinds=_TEXT,
        per_node=True,
        one_per_log=True,
        next=(_REBOOT, _ACCEPT),
    ),
    Signature(
        "unit-result",
        systemd_results.cause,
        (
            r"\b(?P<unit>[\w@.:-]{2,80})\.service: (?:Main|Control) process exited, code=exited, "
            r"status=2\d\d/(?P<step>[A-Z_]{3,24})\b",
            r"\b(?P<unit>[\w@.:-]{2,80})\.service: Failed at step (?P<step>[A-Z_]{3,24}) spawning "
            r"(?P<program>[^\s:]{1,160})(?P<rest>[^\n]*)",
            r"\b(?P<unit>[\w@.:-]{2,80})\.service: (?:State '(?P<state>stop-)[\w-]{1,30}' timed out|"
            r"Failed with result '(?P<result>[\w-]{3,20})')",
            r"\b(?P<unit>[\w@.:-]{2,80})\.service: (?P<state>start) operation timed out\b",
        ),
        confidence="likely",
        rank=1,
        kinds=("log",),
        one_per_log=True,
        parts=systemd_results.PARTS,
        next=(_DRIFT,),
    ),
    Signature(
        "unit-mount",
        systemd_results.mount,
        (
            r"\b(?P<unit>[^\s:]{1,120}\.mount): Mount process exited, code=exited, status=(?P<code>[1-9]\d*)",
        ),
        confidence="likely",
        rank=2,
        kinds=("log",),
        next=(_DRIFT,),
    ),
    Signature(
        "operator-event",
        _event,
        (
            r"^(?P<line>[^\n]*(?:kueue|jobset|mpi-?job|training-?operator|trainjob|pytorchjob|trainer|"
            r"workload)[^\n]*)",
        ),
        confidence="likely",
        rank=1,
        kinds=("log",),
        one_per_log=True,
        next=("kubectl get workloads,jobsets --all-namespaces",),
    ),
    Signature(
        "program",
        _error,
        tuple(rf"^(?P<line>[^\n]*?(?:{line})[^\n]*)" for one in _TABLE for line in one.lines),
        confidence="likely",
        rank=1,
        kinds=_TEXT,
        one_per_log=True,
        next=(_DRIFT, "clusterwright diagnose {file} node {node}"),
    ),
)
