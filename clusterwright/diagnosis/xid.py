"""NVIDIA's Xid and SXid messages, and what the verdict table says about them.

`data/xid_verdicts.json` is the node program's table (lifecycle_scripts/clusterwright_common); a
test compares the two files.
"""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Mapping
from importlib import resources
from typing import Any, Final

from clusterwright.diagnosis.signature import Values

# Names of NVIDIA's Xid catalogue for codes that the verdict table names only by their bucket
# (docs.nvidia.com/deploy/xid-errors, read 2026-11).
_NAMES: Final[Mapping[int, str]] = {
    8: "GPU stopped processing",
    13: "graphics engine exception",
    31: "GPU memory page fault",
    32: "invalid or corrupted push buffer stream",
    43: "the application's GPU work was stopped",
    54: "auxiliary power is not connected",
    61: "internal microcontroller breakpoint",
    62: "internal microcontroller halt",
    69: "graphics engine class error",
    92: "high rate of single bit ECC errors",
    94: "contained memory error",
    109: "context switch timeout",
    119: "GSP RPC timeout",
    120: "GSP error",
    136: "NVLink training failed",
    140: "unrecovered ECC error",
    143: "GPU initialisation failed",
}
_RECOVERY: Final = re.compile(r"recovery action changed from .*? to 0x[0-9A-Fa-f]+ \(([^)]*)\)")
_CAUSED: Final = re.compile(r"caused by previous Xid (\d{1,3})")
_ENDED_PROGRAM: Final = 45
_NO_ACTION: Final = ("none",)


@functools.cache
def table() -> Mapping[str, Any]:
    """The verdict table: `codes` by bucket, `buckets`, `texts`, `recovery_actions`, `switch`."""
    text = resources.files("clusterwright.diagnosis").joinpath("data/xid_verdicts.json")
    found: Mapping[str, Any] = json.loads(text.read_text(encoding="utf-8"))
    return found


def bucket(code: int) -> str:
    """The bucket of a code; `undocumented` if the catalogue does not have it."""
    for name, codes in table()["codes"].items():
        if code in codes:
            return str(name)
    return "undocumented"


def code_of(values: Values) -> int:
    """The code of an Xid message: of the error that caused it, if it names one."""
    code = int(values["code"])
    earlier = _CAUSED.search(values.get("rest", ""))
    return int(earlier.group(1)) if code == _ENDED_PROGRAM and earlier is not None else code


def action(values: Values) -> str:
    """What to do about an Xid: none, report, check, reboot or replace."""
    code = code_of(values)
    recovery = _RECOVERY.search(values.get("rest", ""))
    if code == 154 and recovery is not None:
        said = recovery.group(1).strip().lower()
        return str(table()["recovery_actions"].get(said, "check"))
    return str(table()["buckets"][bucket(code)]["action"])


def cause(values: Values) -> str | None:
    """The cause that an Xid is; None if its bucket has no effect or echoes another error."""
    code = code_of(values)
    name = bucket(code)
    if name in ("ignore", "workflow_45"):
        return None
    on = f" on {values['bus'].rstrip(':')}" if values.get("bus") else ""
    if code == 154:
        recovery = _RECOVERY.search(values.get("rest", ""))
        if recovery is not None and action(values) in _NO_ACTION:
            return None
        said = recovery.group(1).strip() if recovery else "an action that could not be read"
        return f"GPU: Xid 154{on}: the driver asks for {said} (what to do: {action(values)})"
    text = table()["texts"].get(str(code)) or _NAMES.get(code)
    meaning = str(table()["buckets"][name]["meaning"])
    told = f"{text}; {meaning}" if text and text != meaning else meaning
    return f"GPU: Xid {code}{on}: {told} (what to do: {_advice(name, values)})"


def switch_cause(values: Values) -> str | None:
    """The cause that an NVSwitch message is; None if it is not fatal."""
    if values["fatal"].lower() != "fatal":
        return None
    return f"NVSwitch: fatal SXid {values['code']} (what to do: replace)"


def is_application(values: Values) -> bool:
    """Whether the bucket is an error of the application, not of the GPU."""
    return bucket(code_of(values)) == "restart_application"


def _advice(name: str, values: Values) -> str:
    if name == "restart_application":
        return "restart the job; replace the node if other jobs fail on this GPU too"
    return action(values)
