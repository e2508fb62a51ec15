"""From evidence to findings: match, merge, keep causes apart from their consequences, rank.

1. Each piece of evidence gets the first signature of the table that matches it.
2. Evidence with the same signature and cause is one finding (hardware: one for each node).
3. A finding that a cause explains is not reported beside it: its evidence becomes the cause's.
   A cause explains what it usually leads to if both concern the same node, job or stack, or if one
   of them concerns none. Information explains nothing, and nothing explains it.
4. What its source calls a failure, and no signature matches, is an unknown cause with its text;
   so is the last error of a log that ends with one, or of a job or start of a node that failed.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from clusterwright.diagnosis import (
    acceptance,
    next_commands,
    parts_eks,
    parts_kubernetes,
    parts_network,
    parts_slurm,
    statements,
)
from clusterwright.diagnosis.literals import Expression
from clusterwright.diagnosis.model import CONFIDENCES, Confidence, Evidence, Finding, Target
from clusterwright.diagnosis.parts import follows
from clusterwright.diagnosis.retries import goes_on
from clusterwright.diagnosis.signature import Signature, Values, details, filled
from clusterwright.diagnosis.signatures import FAMILIES, SIGNATURES, candidates
from clusterwright.diagnosis.signatures.programs import KNOWN

EVIDENCE_PER_FINDING: Final = 12
"""More of the same is counted in the resources, not quoted."""

_LONGEST_CAUSE: Final = 400
_AFTER: Final = dt.timedelta(minutes=15)
"""How long after a job's end a line about its node may still explain it: logs arrive late."""

_AWS: Final = frozenset(
    {
        "stack-event",
        "stack-state",
        "cluster",
        "cluster-event",
        "node-status",
        "node-group",
        "group-state",
    }
)
_REACH: Final = {
    # What a cause without a node explains in other sources, where both have no name in common.
    "stack-event": _AWS,
    "cluster": _AWS,
    "cluster-event": _AWS,
    "node-status": _AWS,
    "node-group": _AWS,
    "scaling-activity": _AWS,
    "file-system": _AWS | {"log"},
    "database": frozenset({"daemon", "log", "cluster-event"}),
    "daemon": frozenset({"daemon", "scheduler-node", "controller", "pending"}),
    "partition": frozenset({"pending"}),
    "scheduler-node": frozenset({"pending"}),
    "log": _AWS | {"log", "daemon", "job"},
}
UNKNOWN: Final = "unknown"
_EXCEPTIONS: Final = frozenset({"python", "python-line", "traceback", "traceback-end"})
_ONE_PER_LOG: Final = frozenset(s.id for s in SIGNATURES if s.one_per_log)
_PARTS: Final = {s.id: s.parts for s in SIGNATURES if s.one_per_log}
_OF_ERRNO: Final = frozenset(
    {"permission", "name-resolution", "route", "host-memory", "io-error", "read-only"}
)
"""Signatures of what the system answered; a program that is known also says what it was doing."""

_OF_AWS: Final = "aws-error"
_INVALID: Final = "AWS: invalid request"
"""What says no more than that a request is not valid; its program says what it asked for."""

_OF_SLURM: Final = frozenset(s.id for s in FAMILIES["slurm_daemons"]) | {"master-port"}
"""Signatures with words that are of Slurm, or of a job, only where neither wrote something
else.
"""

_MAY_BE_FOREIGN: Final = (
    _OF_SLURM | parts_slurm.FOREIGN | parts_kubernetes.FOREIGN | parts_network.FOREIGN
)
"""The only signatures for which the program that wrote a line is looked up."""

_STORAGE: Final = "io-error"
_EIO: Final = "input/output error"
"""The signature of storage that does not answer, and the text of its errno."""

_REPEATED: Final = {
    "lustre-full": "disk-full",
    "lustre-quota": "disk-quota",
    "clock": "munge-clock",
    "aws-clock": "credentials",
    "efa-not-used": "efa-error",
    "dcgm-start": "program",
    "api-server": "mpi",
    "mpi-help": "mpi-call",
    "cgroup-cpuset": "cgroup",
}
"""What a cause is called by a program that meets it, if that program does not say more."""

_RAY_RANK: Final = ("nccl-timeout", "ray-worker")
_WORKER: Final = re.compile(r"\bWorker PID: (\d{1,10})\b")
_RANK_OF_RAY: Final = re.compile(r"\(\w{1,60} pid=(\d{1,10})\b")
"""The process of a worker of Ray, in Ray's report and before the lines that it writes."""

_XID: Final = re.compile(r"GPU: Xid (?P<code>\d+) on (?P<device>[\da-f:.]+): ")
_VERDICT: Final = "154"

_SAYS_MORE: Final = {
    "efa-error": lambda cause: "an earlier error of this" not in cause,
    "program": lambda cause: "DCGM: its host engine does not start" not in cause,
    "mpi": lambda cause: "on another node" not in cause,
}

_RUN: Final = 500
"""Lines between exceptions of one failure."""

_ENDS: Final = frozenset({"srun-exit"})
"""Reports of a task's end, after which Slurm ends the others."""
_FOLLOWING: Final = frozenset(s.id for s in SIGNATURES if s.follows)
_REPORT: Final = 2
_STATEMENT: Final = Signature(
    "statement",
    "{text}",
    (),
    confidence="possible",
    rank=1,
    next=next_commands.MORE,
)
"""What the words of an error say where no signature knows its message."""
_ERROR: Final = Expression(
    # What programs write before they give up; warnings and counters of errors do not look so.
    r"\bfatal\b|\bpanic\b|\bCRITICAL\b|"
    r"(?:^|[\s\[\]:])(?:error|ERROR|Error|FATAL|SEVERE)(?::|\]|\s-)|"
    r"^(?:\w+\.)*[A-Z]\w*(?:Error|Exception)\b|exit(?:ed with)?(?: exit)? (?:code|status) [1-9]|"
    # A level in a field, as of JSON, with a message, which a setting has not; one after a time.
    r"(?m:^)(?=[^\n]*?\b(?:msg|message|err|error|event|exception)['\"]?[:=])[^\n]*?"
    r"\blevel['\"]?[:=] ?['\"]?(?:[Ee]rror|ERROR|[Ff]atal|FATAL|panic|critical)\b|"
    r"\d\d:\d\d:\d\d\S{0,12} \[?(?:ERROR|FATAL|CRITICAL|SEVERE)\b"
)
_INFORMS: Final = re.compile(r"\blevel[=:] ?\"?(?:info|debug|trace)\b", re.IGNORECASE)
"""The level of a line that its program itself calls no failure, whatever it quotes."""

_QUIET: Final = re.compile(
    # Details for developers, and information of Go programs (klog) that begins with no failure:
    # both list settings, statuses and requests, also with the names of what may fail.
    r"(?:^|[\s\]:])I\d{4} \d\d:\d\d:\d\d\.\d+ +\d+ [\w./-]+\.go:\d+\] (?![^\n]{0,120}?(?:[Ff]ail|"
    r"[Ee]rror|[Cc]annot|[Cc]ould not|[Uu]nable|[Nn]ot |[Nn]o |[Tt]ime|[Ll]ost|[Ee]vict))|"
    r"\[DEBUG\]|(?:^|\s)DEBUG:|\blevel[=:] ?\"?debug\b"
)
_GUESS: Final = Expression(
    # What a program lists because it does not know the reason itself.
    r"(?:Possible (?:reasons|causes)\b|There are some potential root causes|This (?:can happen "
    r"when|is likely because|indicates that))[^\n]*"
)
_AGENTS: Final = ("SagemakerHealthMonitoringAgent/", "Clusterwright/")


@dataclass(frozen=True)
class Context:
    """What commands need beside the evidence.

    Attributes
    ----------
    running:
        The question that is being answered, which is never proposed as the next command; None
        where what it reads differs from what the proposed command reads.
    """

    file: str
    environment: str = ""
    account: str = ""
    region: str = ""
    running: Target | None = None

    @property
    def values(self) -> dict[str, str]:
        return {
            "file": self.file,
            "environment": self.environment,
            "account": self.account,
            "region": self.region,
        }


@dataclass(frozen=True)
class _Match:
    evidence: Evidence
    signature: Signature | None
    cause: str
    values: Values

    @property
    def key(self) -> tuple[str, str, str]:
        if self.signature is None:
            return (UNKNOWN, self.cause, "")
        item = self.evidence
        node = item.node or item.instance if self.signature.per_node else ""
        return (self.signature.id, self.cause, node)


def findings(evidence: Iterable[Evidence], context: Context) -> tuple[Finding, ...]:
    """The findings of all evidence, the most certain first; the same evidence, the same result."""
    groups: dict[tuple[str, str, str], list[_Match]] = {}
    ordered = _ordered(evidence)
    for item in ordered:
        match = _match(item)
        if match is not None:
            groups.setdefault(match.key, []).append(match)
    found = [_finding(group, context) for group in groups.values()]
    found = _one_of_each_log(found)
    found += [_finding([match], context) for match in _unrecognised(ordered, found)]
    return tuple(sorted(_explained(found), key=_order))


def may_report(line: Evidence) -> bool:
    """Whether a line of a log can be evidence of a finding, by itself or in the log of something
    that failed.
    """
    return _match(line) is not None or _is_error(line) or statements.may_state(line.text)


def _one_of_each_log(found: Sequence[Finding]) -> list[Finding]:
    """The findings, with one exception for each log: the first of the last run of exceptions; the
    same for a library's own messages, except those of parts that do not follow from the first.

    Ranks fail one after another and each in words of its own, but a job has one cause.
    """
    runs: dict[tuple[str, str | None, str], list[Finding]] = {}
    kept = [f for f in found if f.signature not in _EXCEPTIONS | _ONE_PER_LOG]
    for finding in found:
        if finding.signature in _EXCEPTIONS | _ONE_PER_LOG:
            first = finding.evidence[0]
            kind = "named" if finding.rank < _REPORT else "other"
            if finding.signature in _ONE_PER_LOG:
                kind = finding.signature
            runs.setdefault((first.source, first.fields.get("stream_name"), kind), []).append(
                finding
            )
    for findings_of_log in runs.values():
        findings_of_log.sort(key=lambda f: _line_number(f.evidence[0].id))
        start = len(findings_of_log) - 1
        while start > 0 and _gap(findings_of_log[start - 1], findings_of_log[start]) <= _RUN:
            start -= 1
        for group in _consequences(findings_of_log[start:]):
            cited = tuple(e for f in group for e in f.evidence)[:EVIDENCE_PER_FINDING]
            names = tuple(dict.fromkeys(name for f in group for name in f.resources))
            kept.append(replace(group[0], evidence=cited, resources=names))
    return kept


def _consequences(run: Sequence[Finding]) -> list[list[Finding]]:
    """Findings of one log in their order, each with those that follow from it."""
    groups: list[list[Finding]] = []
    for finding in run:
        known = _PARTS.get(finding.signature, ())
        group = next((g for g in groups if follows(known, finding.cause, g[0].cause)), None)
        if group is None:
            groups.append([finding])
        else:
            group.append(finding)
    return groups


def _gap(earlier: Finding, later: Finding) -> int:
    last = max(_line_number(e.id) for e in earlier.evidence)
    return _line_number(later.evidence[0].id) - last


def _unrecognised(evidence: Sequence[Evidence], found: Sequence[Finding]) -> Iterator[_Match]:
    """The cause that each log without a finding states, or its last error, if the log ends with
    it or its job or the start of its node is known to have failed without a reason.
    """
    cited = {
        (e.source, e.fields.get("stream_name"))
        for f in found
        if f.rank < _REPORT
        for e in f.evidence
    }
    reports = [e for f in found if f.rank == _REPORT for e in f.evidence]
    reported = {(e.source, e.fields.get("stream_name")) for e in reports}
    report_lines = {(e.source, e.id) for e in reports}
    logs: dict[tuple[str, str | None], list[Evidence]] = {}
    for item in evidence:
        if item.kind == "log":
            logs.setdefault((item.source, item.fields.get("stream_name")), []).append(item)
    for key, lines in logs.items():
        if key in cited:
            continue
        lines.sort(key=lambda line: _line_number(line.id))
        failed = any(_related(line, report) for line in lines for report in reports)
        if key[1] is None or failed:
            # A report without a reason is no reason either in the words of its own line.
            statement = statements.of_log(
                lines, lambda e: _is_echo(e) or (e.source, e.id) in report_lines, failed
            )
            if statement is not None:
                yield _Match(
                    statement.line,
                    _STATEMENT,
                    statement.cause[:_LONGEST_CAUSE],
                    details(statement.line),
                )
                continue
        errors = [n for n, line in enumerate(lines) if _is_error(line)]
        if not errors:
            continue
        last = lines[errors[-1]]
        ends = key[1] is None and len(lines) - errors[-1] <= statements.LAST_LINES
        if (ends or failed) and key not in reported:
            named = statements.of_error(last.text)
            if named is None:
                yield _unknown(last)
            else:
                yield _Match(last, _STATEMENT, named[:_LONGEST_CAUSE], details(last))


def _line_number(ident: str) -> int:
    number = ident.rpartition(":")[2]
    return int(number) if number.isdigit() else 0


def _is_error(line: Evidence) -> bool:
    return (
        bool(_ERROR.search(line.text, line.text.lower()))
        and not _INFORMS.search(line.text)
        and not statements.is_harmless(line.text)
        and not _is_echo(line)
    )


def _is_echo(line: Evidence) -> bool:
    return _goes_on(line) or any(
        c.signature.is_echo and c.values(line) is not None for c in candidates(line.text)
    )


def _ordered(evidence: Iterable[Evidence]) -> list[Evidence]:
    """By time, those without one last; equal statements once."""
    latest = dt.datetime.max.replace(tzinfo=dt.timezone.utc)
    seen: dict[tuple[object, ...], Evidence] = {}
    for item in evidence:
        seen.setdefault((item.time, item.source, item.id, item.text, item.node, item.job), item)
    return sorted(
        seen.values(), key=lambda e: (e.time or latest, e.source, e.id, e.text, e.node, e.job)
    )


def _match(evidence: Evidence) -> _Match | None:
    if _goes_on(evidence) or _is_quiet(evidence):
        return None
    said = _without_guesses(evidence)
    foreign: frozenset[str] | None = None if evidence.kind == "log" else frozenset()
    for candidate in candidates(said.text):
        signature = candidate.signature
        values = candidate.values(said)
        if values is None or not acceptance.may_match(said, signature.id):
            continue
        if foreign is None and signature.id in _MAY_BE_FOREIGN:
            foreign = _foreign(said.text)
        if foreign is not None and signature.id in foreign:
            continue
        if signature.is_echo:
            return None
        cause = _cause(signature, values)
        killed = signature.id == "host-memory" and "kill" in said.text.lower()
        if cause and signature.id in _OF_ERRNO and not killed:
            known = parts_slurm.error(said.text) or KNOWN.error(said.text)
            cause = (known or cause)[:_LONGEST_CAUSE]
        if cause and signature.id == _OF_AWS and cause.startswith(_INVALID):
            cause = (parts_eks.KARPENTER.error(said.text) or cause)[:_LONGEST_CAUSE]
        if cause:
            return _Match(evidence, signature, cause, values)
    if not evidence.failed:
        return None
    general = statements.of_failure(evidence)
    if general is not None:
        return _Match(evidence, _STATEMENT, general[:_LONGEST_CAUSE], details(evidence))
    return _unknown(evidence)


def _goes_on(line: Evidence) -> bool:
    """Whether a line of a log reports an attempt that is followed by others."""
    return line.kind == "log" and not line.failed and goes_on(line.text)


def _is_quiet(line: Evidence) -> bool:
    """Whether a line of a log is of a level below every failure."""
    return line.kind == "log" and not line.failed and _QUIET.search(line.text) is not None


def _foreign(text: str) -> frozenset[str]:
    """Signatures for whose words the program that wrote a line has another meaning."""
    if parts_slurm.is_line(text):
        return parts_slurm.FOREIGN
    if parts_kubernetes.is_no_quota(text):
        return parts_kubernetes.FOREIGN
    if parts_network.is_line(text):
        return parts_network.FOREIGN
    program = KNOWN.of_line(text)
    return frozenset() if program is None else _OF_SLURM - program.own


def _without_guesses(evidence: Evidence) -> Evidence:
    if not _GUESS.has_words(evidence.text.lower()):
        return evidence
    said = _GUESS.pattern.sub("", evidence.text)
    return evidence if said == evidence.text or not said.strip() else replace(evidence, text=said)


def _unknown(evidence: Evidence) -> _Match:
    text = " ".join(evidence.text.split())
    job = f"job {evidence.job}" if evidence.job else ""
    where = evidence.resource or evidence.node or job
    prefix = f"unknown cause: {where}: " if where and where not in text else "unknown cause: "
    return _Match(evidence, None, (prefix + text)[:_LONGEST_CAUSE], details(evidence))


def _cause(signature: Signature, values: Values) -> str | None:
    if callable(signature.cause):
        text = signature.cause(values)
    else:
        text = filled(signature.cause, values)
        if text is None:
            # A value of the text is missing in this wording: the rest is still true.
            names = re.findall(r"\{(\w+)\}", signature.cause)
            text = filled(signature.cause, {**dict.fromkeys(names, "(not stated)"), **values})
    return None if text is None else " ".join(text.split())[:_LONGEST_CAUSE]


def _finding(group: Sequence[_Match], context: Context) -> Finding:
    first = group[0]
    signature = first.signature
    nodes = sorted({n for m in group if (n := m.evidence.node or m.evidence.instance)})
    resources = _resources(group)
    cited = tuple(m.evidence for m in group[:EVIDENCE_PER_FINDING])
    if signature is None:
        return Finding(
            first.cause,
            "possible",
            cited,
            resources,
            next_commands.read_more(
                {**first.values, **context.values, "because": ""}, context.running
            ),
            UNKNOWN,
            1,
        )
    values = {
        **first.values,
        **context.values,
        "rules": ",".join(signature.rules),
        "nodes": "",
        "because": first.cause,
    }
    if "role" in values:
        values["role_name"] = values["role"].rpartition("/")[2]
    if "principal" in values:
        values["principal"] = _role_of(values["principal"])
    commands = next_commands.commands(signature.next, values, nodes, context.running)
    confidence: Confidence
    if callable(signature.confidence):
        confidence = signature.confidence(first.values)
    else:
        confidence = signature.confidence
    return Finding(
        first.cause,
        confidence,
        cited,
        resources,
        tuple(dict.fromkeys(commands)),
        signature.id,
        signature.rank,
        signature.severity,
    )


def _role_of(principal: str) -> str:
    """The role of an assumed role's session, which IAM's simulator takes; others unchanged."""
    found = re.fullmatch(r"arn:([\w-]+):sts::(\d+):assumed-role/([^/]+)/.*", principal)
    return "arn:{}:iam::{}:role/{}".format(*found.groups()) if found else principal


def _resources(group: Sequence[_Match]) -> tuple[str, ...]:
    names: list[str] = []
    for match in group:
        item = match.evidence
        job = f"job {item.job}" if item.job else ""
        names += [name for name in (item.resource, item.node, item.instance, job) if name]
    return tuple(dict.fromkeys(names))


def _explained(found: Sequence[Finding]) -> list[Finding]:
    """Findings without those that another one explains, whose evidence they get."""
    first = [
        f for f in found if any(_same_storage(f, other) or _repeats(other, f) for other in found)
    ]
    by_rank = sorted(
        found, key=lambda f: (f not in first, f.rank, f.signature in _FOLLOWING, _order(f))
    )
    kept: list[Finding] = []
    for finding in by_rank:
        index = next((i for i, c in enumerate(kept) if explains(c, finding)), None)
        if index is None:
            kept.append(finding)
            continue
        cause = kept[index]
        room = EVIDENCE_PER_FINDING - len(cause.evidence)
        kept[index] = replace(
            cause,
            evidence=(*cause.evidence, *finding.evidence[: max(0, room)]),
            resources=tuple(dict.fromkeys((*cause.resources, *finding.resources))),
        )
    return kept


def explains(cause: Finding, other: Finding) -> bool:
    """Whether a finding is the usual reason of another one."""
    if "info" in (cause.severity, other.severity):
        return False
    if cause.rank >= other.rank and not (
        _precedes(cause, other) or _same_storage(cause, other) or _repeats(other, cause)
    ):
        return False
    if cause.signature == UNKNOWN and cause.evidence[0].kind != "log":
        return False
    if acceptance.is_verdict(cause):
        # A test of the node says what it is like then, not what ended a job or a daemon.
        return False
    return any(_related(a, b) for a in cause.evidence for b in other.evidence if _in_time(a, b))


def _precedes(cause: Finding, other: Finding) -> bool:
    """Whether an exception of a program ended a rank for which the others then waited in vain."""
    if cause.signature not in _EXCEPTIONS | _ENDS or other.signature not in _FOLLOWING:
        return False
    first, later = cause.evidence[0], other.evidence[0]
    same = first.source == later.source and cause.rank <= other.rank
    return same and _line_number(first.id) < _line_number(later.id)


def _same_storage(cause: Finding, other: Finding) -> bool:
    """Whether what a program could not do is what storage did not answer it."""
    return cause.signature == _STORAGE != other.signature and all(
        _EIO in e.text.lower() for e in other.evidence
    )


def _repeats(finding: Finding, cause: Finding) -> bool:
    """Whether a program says in its own words what another finding says of its reason."""
    if acceptance.is_verdict(finding):
        return acceptance.is_explained(finding, cause)
    if cause.signature == finding.signature:
        # The driver's own verdict after another Xid of the device, with the same action.
        verdict, error = _XID.match(finding.cause), _XID.match(cause.cause)
        return (
            verdict is not None
            and error is not None
            and verdict.group("code") == _VERDICT != error.group("code")
            and verdict.group("device") == error.group("device")
        )
    if (cause.signature, finding.signature) == _RAY_RANK:
        # Ray reports the end of a process, which ended itself after its watchdog's report.
        ended = {m[1] for e in finding.evidence for m in _WORKER.finditer(e.text)}
        return any(m[1] in ended for e in cause.evidence for m in _RANK_OF_RAY.finditer(e.text))
    if _REPEATED.get(cause.signature) != finding.signature:
        return False
    says_more = _SAYS_MORE.get(finding.signature)
    return says_more is None or not says_more(finding.cause)


def _related(cause: Evidence, other: Evidence) -> bool:
    if cause.job and other.job:
        return cause.job == other.job
    if cause.kind == "pending":
        return False
    nodes, other_nodes = _nodes(cause), _nodes(other)
    if nodes and other_nodes:
        return bool(nodes & other_nodes)
    if cause.stack and other.stack:
        return cause.stack == other.stack or _is_cluster(cause) or _is_cluster(other)
    if other.kind == "stack-state" and not _is_cluster(other):
        return False
    if cause.kind == "log" and other.kind in _AWS and not _of_start(cause):
        return False
    reach = _REACH.get(cause.kind)
    return reach is not None and other.kind in reach and not (nodes and other.kind == "job")


def _nodes(item: Evidence) -> frozenset[str]:
    listed = item.fields.get("nodes", "")
    return frozenset(name for name in (item.node, item.instance, *listed.split(",")) if name)


def _of_start(item: Evidence) -> bool:
    """Whether a line is of the start of nodes: a failed start fails deployments."""
    stream = item.fields.get("stream_name", "LifecycleConfig/")
    return stream.startswith("LifecycleConfig/") or not stream.startswith(_AGENTS)


def _is_cluster(item: Evidence) -> bool:
    return item.stack.endswith("-cluster")


def _in_time(cause: Evidence, other: Evidence) -> bool:
    """A cause does not come after what it leads to; for a job, not before its start either."""
    if other.kind == "job":
        if cause.time is None or other.time is None:
            # The end of a program may have many reasons: its time must be known.
            return other.fields.get("ended_by") != "program" or cause.job == other.job
        start = other.fields.get("start", "")
        began = dt.datetime.fromisoformat(start) if start else None
        late = cause.time > other.time + _AFTER
        return not (late or (began is not None and cause.time < began - _AFTER))
    return True


def _order(finding: Finding) -> tuple[object, ...]:
    times = [e.time for e in finding.evidence if e.time is not None]
    first = min(times) if times else dt.datetime.max.replace(tzinfo=dt.timezone.utc)
    return (
        finding.severity == "info",
        finding.signature == UNKNOWN,
        CONFIDENCES.index(finding.confidence),
        finding.rank,
        first,
        finding.cause,
        finding.resources,
    )
