"""The answers of the commands as text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

Answer = Mapping[str, Any]
_SHOWN = 4
_LONGEST_TEXT = 240


def text(answer: Answer) -> str:
    """Findings and unknown parts first, then the command's own lines."""
    if answer["command"] == "diagnose":
        return "\n".join(printable(line) for line in _diagnose(answer)) + "\n"
    lines = [_title(answer)]
    lines += [line for one in answer.get("findings", ()) for line in _finding(one)]
    lines += [line for one in answer.get("unknown", ()) for line in _unknown(one)]
    lines += [line for one in answer.get("not_compared", ()) for line in _unknown(one)]
    lines += _BODIES.get(str(answer["command"]), _nothing)(answer)
    return "\n".join(printable(line) for line in lines) + "\n"


def columns(rows: Sequence[Sequence[str]]) -> list[str]:
    """The rows as lines with padded cells."""
    if not rows:
        return []
    widths = [max(len(row[at]) for row in rows) for at in range(len(rows[0]))]
    return [
        "  " + "  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip()
        for row in rows
    ]


def printable(line: str) -> str:
    """Without control characters: names and reasons are texts of users."""
    return "".join(letter if letter.isprintable() else "?" for letter in line)


def check_name(check: Answer) -> str:
    """A test of several nodes with the size of its messages or its file system."""
    size = check["size_mib"]
    what = check["mount_path"] or (f"{size:g} MiB" if size else "")
    return f"{check['id']} {what}".strip()


def plan_lines(verb: str, rows: Sequence[Answer], effects: Sequence[str], jobs: Any) -> list[str]:
    """What a verb for nodes is about to do."""
    lines = [f"{verb} {len(rows)} {'node' if len(rows) == 1 else 'nodes'}"]
    lines += columns([(row["name"], row["group"] or "–", "+".join(row["states"])) for row in rows])
    lines += [f"{one}." for one in effects]
    if jobs is None:
        lines.append("The jobs on the nodes are unknown.")
    elif jobs:
        named = ", ".join(f"{job['id']} ({job['name']}, {job['user']})" for job in jobs)
        lines.append(f"Running jobs on the nodes go on: {named}.")
    else:
        lines.append("No job runs on the nodes.")
    lines.append("Cost: unknown on a node.")
    return [printable(line) for line in lines]


def _title(answer: Answer) -> str:
    parts = [str(answer["environment"]), f"{answer['command']} on this node"]
    if "read_at" in answer:
        parts.append(str(answer["read_at"]))
    return ", ".join(parts)


def _finding(one: Answer) -> Iterator[str]:
    yield f"{one['severity']}[{one['code']}]: {one['message']}"
    if one["hint"]:
        yield f"  hint: {one['hint']}"


def _unknown(one: Answer) -> Iterator[str]:
    yield f"unknown: {one['what']}: {one['reason']}"
    if one["hint"]:
        yield f"  hint: {one['hint']}"


def _nothing(_: Answer) -> list[str]:
    return []


def _diagnose(answer: Answer) -> Iterator[str]:
    for one in answer["findings"]:
        yield f"{'info' if one['severity'] == 'info' else one['confidence']}: {one['cause']}"
        if one["resources"]:
            yield f"  on {', '.join(one['resources'][:_SHOWN])}{_more(one['resources'])}"
        for each in one["evidence"][:_SHOWN]:
            said = " ".join(each["text"].split())[:_LONGEST_TEXT]
            yield f"  {each['time'] or ''} {each['source']} ({each['id']}): {said}"
        yield from (f"  next: {command}" for command in one["next"])
        yield ""
    for one in answer["unknown"]:
        yield from _unknown(one)
    yield from ("", "read", *(f"  {each}" for each in answer["read"]), "")
    count = sum(one["severity"] != "info" for one in answer["findings"])
    found = f"{count} {'finding' if count == 1 else 'findings'}" if count else "no failure found"
    yield f"{found}; {len(answer['unknown'])} could not be read"


def _more(names: Sequence[str]) -> str:
    return f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""


def _status(answer: Answer) -> list[str]:
    jobs = answer["jobs"]
    counts = "unknown"
    if jobs is not None:
        counts = ", ".join(f"{count} {state}" for state, count in sorted(jobs.items())) or "none"
    rows = [("node", "group", "scheduler", "accepted", "since", "reason")]
    rows += [
        (
            one["name"],
            one["group"] or "–",
            one["scheduler_state"] or "–",
            one["accepted"],
            one["since"] or "–",
            one["reason"] or "",
        )
        for one in answer["nodes"]
    ]
    at = answer["scheduler_written_at"]
    published = f" (acceptance published {at})" if at is not None else ""
    return ["", f"jobs: {counts}", "", f"Nodes{published}", *columns(rows)]


def _topology(answer: Answer) -> list[str]:
    lines = ["", f"TopologyPlugin: {answer['plugin'] or 'unknown'}", "", "Nodes"]
    rows = [("node", "AWS's path", "Slurm's path", "agrees")]
    rows += [
        (one["name"], _path(one["path"]), _path(one["slurm_path"]), one["agrees"])
        for one in answer["nodes"]
    ]
    lines += columns(rows)
    if answer["jobs"]:
        jobs = [("job", "user", "nodes", "leaves", "spines")]
        jobs += [
            (
                one["id"],
                one["user"],
                str(one["nodes"]),
                _number(one["leaves"]),
                _number(one["spines"]),
            )
            for one in answer["jobs"]
        ]
        lines += ["", "Running jobs", *columns(jobs)]
    return lines


def _capacity(answer: Answer) -> list[str]:
    rows = [("group", "type", "spares", "idle", "largest job", "its nodes")]
    for spare, failure in zip(answer["spares"], answer["failures"]):
        idle = spare["idle"]
        rows.append(
            (
                spare["group"],
                spare["instance_type"],
                str(spare["spare_count"]),
                "unknown" if idle is None else str(len(idle)),
                failure["job"] or "–",
                _number(failure["job_nodes"]),
            )
        )
    return ["", *columns(rows)]


def _node(answer: Answer) -> list[str]:
    return columns([(one["name"], one["outcome"], one["reason"]) for one in answer["nodes"]])


def _accept(answer: Answer) -> list[str]:
    run = f", run {answer['run']}" if answer["run"] else ""
    lines = [f"level {answer['level']}{run}: {answer['status']}"]
    lines += columns(
        [(one["name"], one["verdict"], one["action"], one["reason"]) for one in answer["nodes"]]
    )
    lines += [
        f"suspect {one['kind']} {', '.join(one['names'])}: {one['evidence']}"
        for one in answer["suspects"]
    ]
    lines += columns(
        [
            (check_name(one), f"{one['nodes']} nodes", one["verdict"], one["reason"])
            for one in answer["cluster_checks"]
            if one["verdict"] != "pass"
        ]
    )
    lines += columns(
        [
            (one["group"], f"{one['nodes']} nodes", f"{one['seconds']} s", "price unknown")
            for one in answer["plan"]
        ]
    )
    return lines


def _path(path: Any) -> str:
    return "unknown" if path is None else "/".join(path) or "–"


def _number(value: Any) -> str:
    return "unknown" if value is None else str(value)


def _drift(answer: Answer) -> list[str]:
    found = []
    for one in answer["differences"]:
        between = ":" if one["path"].startswith("/") else "."
        where = between.join(part for part in (one["resource"], one["path"]) if part)
        found += [
            f"{one['kind']}: {where}",
            f"  deployed  {one['deployed'] or '(none)'}",
            f"  file      {one['file'] or '(none)'}",
        ]
    count = len(answer["differences"])
    return [*found, f"{count} {'difference' if count == 1 else 'differences'}"]


_BODIES = {
    "status": _status,
    "topology": _topology,
    "capacity": _capacity,
    "node": _node,
    "accept": _accept,
    "drift": _drift,
}
