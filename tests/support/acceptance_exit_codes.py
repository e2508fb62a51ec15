"""What a run that ended means for the exit code, on a workstation and on a node."""

from __future__ import annotations

from typing import Any

GOOD = {"name": "n1", "verdict": "accepted"}
BAD = {"name": "n2", "verdict": "rejected", "action": "replace"}
UNSURE = {"name": "n3", "verdict": "unknown"}
ALLREDUCE = {"id": "cluster-allreduce", "nodes": 4, "value": 300.0, "unit": "GB/s"}
SLOW = {**ALLREDUCE, "verdict": "fail", "floor": 400.0}
FIRST = {**ALLREDUCE, "verdict": "unknown", "reason": "no floor is known"}
HUNG = {"id": "lustre-write", "nodes": 4, "verdict": "hung", "value": None}
UNMEASURED = {**HUNG, "verdict": "unknown", "reason": "fio reported from 1 of 2 nodes"}
WAIVED = {**HUNG, "verdict": "waived"}
PATH = {"kind": "path", "names": ["n1", "n4"], "evidence": "bad 2 times"}
COMMON = {"kind": "cluster", "names": ["n3", "n5"], "evidence": "no pair is good"}

RESULTS: tuple[tuple[list[Any], list[Any], list[Any], int], ...] = (
    ([GOOD], [], [], 0),
    ([GOOD, BAD, UNSURE], [], [], 1),
    ([GOOD, UNSURE], [], [], 2),
    ([], [], [], 2),
    ([GOOD], [SLOW], [], 1),
    ([GOOD], [HUNG], [], 1),
    ([GOOD], [FIRST], [], 0),
    ([GOOD], [WAIVED], [], 0),
    ([GOOD], [FIRST, UNMEASURED], [], 2),
    ([BAD], [UNMEASURED], [], 1),
    ([GOOD], [], [PATH], 1),
    ([GOOD], [UNMEASURED], [PATH], 1),
    ([UNSURE], [], [COMMON], 1),
)
"""Nodes, tests of several nodes, suspects, and the exit code."""
