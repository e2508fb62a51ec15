"""Jobs of `sacct --json`, or of `sacct --parsable2`, in the form of the published `ended`."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

_COLUMNS = {
    "JobID": "id",
    "JobName": "name",
    "User": "user",
    "Account": "account",
    "Partition": "partition",
    "State": "state",
    "ExitCode": "exit_code",
    "Reason": "reason",
    "NodeList": "nodes",
    "Submit": "submit",
    "Eligible": "eligible",
    "NNodes": "node_count",
    "Start": "start",
    "End": "end",
    "Restarts": "restarts",
    "Comment": "comment",
    "SystemComment": "system_comment",
}


class SacctError(Exception):
    """The text is neither JSON nor a table of sacct."""


def jobs(text: str) -> list[dict[str, Any]]:
    """The jobs of a file that sacct wrote.

    Raises
    ------
    SacctError
        It is not the output of `sacct --json` or `sacct --parsable2`.
    """
    if text.lstrip().startswith(("{", "[")):
        try:
            document = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise SacctError(f"not JSON: {error}") from None
        listed = document.get("jobs") if isinstance(document, Mapping) else document
        if not isinstance(listed, list):
            raise SacctError("the JSON has no `jobs`")
        return [_job(job) for job in listed if isinstance(job, Mapping)]
    return _table(text.splitlines())


def _table(lines: Sequence[str]) -> list[dict[str, Any]]:
    header = lines[0].split("|") if lines else []
    if "JobID" not in header or "State" not in header:
        raise SacctError("neither JSON nor a table with JobID and State")
    found = []
    for line in lines[1:]:
        row = dict(zip(header, line.split("|")))
        # Steps repeat the job; a step that ran out of memory says more than its job.
        if row.get("JobID") and ("." not in row["JobID"] or "OUT_OF_ME" in row["State"]):
            found.append({_COLUMNS[k]: v for k, v in row.items() if k in _COLUMNS})
    return found


def _job(job: Mapping[str, Any]) -> dict[str, Any]:
    state = job.get("state")
    words: Any = state.get("current") if isinstance(state, Mapping) else state
    reason = state.get("reason") if isinstance(state, Mapping) else job.get("state_reason")
    time = job.get("time")
    times: Mapping[str, Any] = time if isinstance(time, Mapping) else job
    comment = job.get("comment")
    comments: Mapping[str, Any] = comment if isinstance(comment, Mapping) else {"job": comment}
    steps = job.get("steps")
    states = [_step_state(step) for step in steps] if isinstance(steps, list) else []
    current = words[0] if isinstance(words, list) and words else words
    return {
        "id": str(job.get("job_id") or job.get("id") or ""),
        "name": job.get("name"),
        "user": job.get("user") or job.get("user_name"),
        "account": job.get("account"),
        "partition": job.get("partition"),
        # A step that ran out of memory is why its job failed.
        "state": "OUT_OF_MEMORY" if "OUT_OF_MEMORY" in states else current,
        "exit_code": _exit_code(job),
        "reason": reason or job.get("reason"),
        "nodes": job.get("nodes"),
        "submit": _number(times.get("submission", job.get("submit_time"))),
        "eligible": _number(times.get("eligible", job.get("eligible_time"))),
        "start": _number(times.get("start", job.get("start_time"))),
        "end": _number(times.get("end", job.get("end_time"))),
        "node_count": _number(job.get("allocation_nodes") or job.get("node_count")),
        "restarts": job.get("restart_cnt") or job.get("restarts"),
        "comment": comments.get("job"),
        "system_comment": comments.get("system") or job.get("system_comment"),
    }


def _step_state(step: object) -> str:
    state = step.get("state") if isinstance(step, Mapping) else None
    return str(state[0] if isinstance(state, list) and state else state or "")


def _exit_code(job: Mapping[str, Any]) -> str:
    code = job.get("derived_exit_code")
    for value in (job.get("exit_code"), code):
        if isinstance(value, str):
            return value
        if isinstance(value, Mapping):
            signal = value.get("signal")
            number = _number(signal.get("id")) if isinstance(signal, Mapping) else None
            status = _number(value.get("return_code")) or 0
            if status or number:
                return f"{status}:{number or 0}"
    return "0:0"


def _number(value: object) -> Any:
    """A number of Slurm's JSON, which may be an object with `set` and `number`."""
    if isinstance(value, Mapping):
        return value.get("number") if value.get("set", True) else None
    return value
