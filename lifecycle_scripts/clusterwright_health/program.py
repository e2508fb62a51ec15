"""Check the node and drain it in Slurm if there is a finding.

| Mode | Run by | Checks | With a finding | |---|---|---|---| | `prolog` | Slurm, before a job |
quick ones | drains, exits with 1: Slurm starts the job elsewhere | | `epilog` | Slurm, after a job
| quick ones | drains | | `periodic` | Slurm or a timer | all | drains |

A node that this program drained is resumed after two runs in a row without a finding. The state of
a node that an administrator drained, or that is down, does not change. An exception in a check is
logged and is not a finding: a bug must not drain a cluster.

`prolog` and `epilog` also write and remove the files of clusterwright_common.job_files.
"""

from __future__ import annotations

import fcntl
import importlib
import json
import os
import pkgutil
import time
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from clusterwright_common.probe import Probe

from clusterwright_health import checks, job_files
from clusterwright_health.expected import Expected, NoExpectation, read_expected
from clusterwright_health.finding import REMEDIES, Finding
from clusterwright_health.slurm_node import drain, read_state, resume

MODES = ("prolog", "epilog", "periodic")
LOOKS_TO_RESUME = 2
STATE = "/var/lib/clusterwright/health.json"
LOG = "/var/log/clusterwright/health.jsonl"
LOCK = "/run/clusterwright/health.lock"
_LARGEST_LOG_BYTES = 4 * 1024 * 1024


def main(argv: Sequence[str], probe: Probe | None = None) -> int:
    if len(argv) != 1 or argv[0] not in MODES:
        print("usage: python3 -m clusterwright_health {}".format("|".join(MODES)))
        return 3
    # Slurm ends a health check after 60 seconds (slurm.conf, HealthCheckProgram).
    probe = probe or Probe(deadline_seconds=50.0)
    with _alone(probe):
        result = _run(argv[0], probe)
    if result == 0:
        _follow_job(argv[0], probe)
    return result


def findings_of(probe: Probe, expected: Expected, *, quick: bool) -> list[Finding]:
    """The findings, the most severe first."""
    found: list[Finding] = []
    for module in pkgutil.iter_modules(checks.__path__):
        check = importlib.import_module(f"{checks.__name__}.{module.name}")
        if quick and not check.QUICK:
            continue
        try:
            found += check.look(probe, expected)
        except Exception:  # noqa: BLE001 - see the module's docstring
            _log(probe, {"event": "bug", "check": module.name, "trace": traceback.format_exc()})
    return sorted(found, key=lambda finding: -REMEDIES.index(finding.remedy))


def _run(mode: str, probe: Probe) -> int:
    try:
        expected = read_expected(probe)
    except NoExpectation as error:
        _log(probe, {"event": "refused", "mode": mode, "error": str(error)})
        return 0
    found = findings_of(probe, expected, quick=mode != "periodic")
    clean_looks = 0 if found else _clean_looks(probe) + 1
    if found or mode == "periodic":
        _keep(probe, found, clean_looks)
    # Slurm passes the node's name; the timer has only the name in the file.
    name = os.environ.get("SLURMD_NODENAME") or expected.slurm_name
    _tell(probe, mode, name, found, clean_looks)
    return 1 if found and mode == "prolog" else 0


def _follow_job(mode: str, probe: Probe) -> None:
    """Without these files only metrics are missing, so that no job fails for them."""
    follow = {"prolog": job_files.write, "epilog": job_files.remove}.get(mode)
    try:
        if follow is not None:
            follow(probe, os.environ)
    except (OSError, KeyError, ValueError) as error:
        _log(probe, {"event": "job files", "mode": mode, "error": str(error)})


def _tell(probe: Probe, mode: str, name: str, found: list[Finding], clean_looks: int) -> None:
    state = read_state(probe, name)
    did, error = "nothing", None
    if state is None:
        error = "slurmctld does not respond"
    elif found and (not state.is_drained or state.is_ours):
        reason = _reason(found)
        if reason not in state.reason:
            did, error = "drained", drain(probe, name, reason)
    elif not found and mode == "periodic" and state.is_ours and clean_looks >= LOOKS_TO_RESUME:
        did, error = "resumed", resume(probe, name)
    if found or did != "nothing" or error:
        _log(
            probe,
            {
                "event": "look",
                "mode": mode,
                "findings": [finding.text for finding in found],
                "did": did,
                "error": error,
            },
        )


def _reason(found: list[Finding]) -> str:
    more = f"; {len(found) - 1} more in {LOG}" if len(found) > 1 else ""
    return found[0].text + more


def _clean_looks(probe: Probe) -> int:
    try:
        return int(json.loads(probe.read(STATE) or "{}").get("clean_looks", 0))
    except (ValueError, AttributeError, TypeError):
        return 0


def _keep(probe: Probe, found: list[Finding], clean_looks: int) -> None:
    path = probe.path(STATE)
    text = json.dumps(
        {
            "time": _now(),
            "clean_looks": clean_looks,
            "findings": [finding.text for finding in found],
        },
        indent=2,
    )
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        fresh = path.with_name(f".{path.name}.{os.getpid()}")
        fresh.write_text(text + "\n", encoding="utf-8")
        fresh.replace(path)
    except OSError as error:  # a full or read-only disk is a finding that must still be reported
        print(f"clusterwright_health: {error}")


def _log(probe: Probe, fields: dict[str, object]) -> None:
    path = probe.path(LOG)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.exists() and path.stat().st_size > _LARGEST_LOG_BYTES:
            path.replace(path.with_name(path.name + ".1"))
        with path.open("a", encoding="utf-8") as file:
            file.write(json.dumps({"time": _now(), **fields}) + "\n")
    except OSError as error:
        print(f"clusterwright_health: {error}")


def _now() -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())


@contextmanager
def _alone(probe: Probe) -> Iterator[None]:
    """Wait for another run to end, until the deadline."""
    path = probe.path(LOCK)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        file = path.open("w", encoding="utf-8")
    except OSError:
        yield
        return
    with file:
        until = min(probe.seconds_left(), 20.0) + time.monotonic()
        while True:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except OSError:
                if time.monotonic() > until:
                    break
                time.sleep(0.1)
        yield
