"""`clusterwright diagnose` on a node: Slurm's answers and this node's logs, judged by the tables
of the workstation (`clusterwright/diagnosis`, which is uploaded with these scripts).
"""

from __future__ import annotations

import dataclasses
import datetime as dt
import os
import posixpath
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Optional

from clusterwright_common.probe import Probe
from clusterwright_common.scontrol import words

from clusterwright.diagnosis import engine, log_files, sacct, scheduler
from clusterwright.diagnosis.log_lines import Place, evidence
from clusterwright.diagnosis.model import Diagnosis, Evidence, Finding, NotRead, Target
from clusterwright.diagnosis.targets import SUBJECTS, concerning, missing, span
from clusterwright_state.commands.node_logs import NodeLogs
from clusterwright_state.commands.setting import ENTRY, Stop
from clusterwright_state.commands.view import SCHEMA_VERSION, View
from clusterwright_state.records import SEPARATOR, rows

_SOURCE = "the scheduler's state"
_COLUMNS = (
    "JobID", "JobName", "User", "State", "ExitCode", "Reason", "NodeList", "Start", "End",
    "Restarts", "Comment", "SystemComment",
)  # fmt: skip
_DEADLINE_SECONDS = 120.0
_TIMEOUT_SECONDS = 30.0
_OUTPUT_SECONDS = 10.0
_MOST_OUTPUTS = 50
_END_OF_FILE = """\
[ -f "$1" ] || { echo "it does not exist, is no file, or may not be read" >&2; exit 1; }
exec tail -c "$2" -- "$1"
"""
_ANYWHERE = re.compile(r"^clusterwright (status|topology|capacity|diagnose) FILE\b")
_AS_ROOT = re.compile(r"^clusterwright (accept|node (?:drain|resume|reboot)) FILE\b")


def target(asked: Sequence[str]) -> Target:
    """What is asked for. Raises Stop."""
    subject, name = [*asked, "", ""][:2]
    has_name = subject in ("node", "job")
    if (subject and subject not in SUBJECTS) or len(asked) > 2 or bool(name) != has_name:
        raise Stop(f"diagnose {' '.join(asked)}: not a question", "deploy, node NAME, or job ID")
    return Target(subject or None, name)  # type: ignore[arg-type]


def seconds(text: str) -> dt.timedelta:
    """The span of `--since`. Raises Stop."""
    found = span(text)
    if found is None:
        raise Stop(f"--since: {text!r} is not a span", "such as 90m, 12h or 7d")
    return found


def answer(
    view: View,
    asked: Target,
    logs: Sequence[str],
    accounting: Optional[str],
    since: dt.timedelta,
    root: str = "/",
) -> dict[str, Any]:
    """The document of the command. Raises Stop if a file that the user names cannot be used."""
    reading = _Reading(view, asked, since, root)
    reading.of_user(logs, accounting)
    if asked.subject != "deploy":
        reading.of_scheduler()
    reading.of_this_node()
    return _document(reading.diagnosis())


class _Reading:
    """What was read for one question."""

    def __init__(self, view: View, asked: Target, since: dt.timedelta, root: str) -> None:
        self._view, self._asked, self._root = view, asked, root
        self._now = dt.datetime.now(dt.timezone.utc)
        self._span = since
        self._probe = Probe(root, _DEADLINE_SECONDS)
        self._document: dict[str, Any] = dict(view.state)
        self._names = scheduler.names_of(self._document)
        self._host = os.uname().nodename.partition(".")[0]
        self._found: list[Evidence] = []
        self._read: list[str] = []
        self._unknown: list[NotRead] = []

    def of_user(self, logs: Sequence[str], accounting: Optional[str]) -> None:
        """The files that the command line names."""
        for option, path in (*(("--log", path) for path in logs), ("--sacct", accounting)):
            if path is not None and not path.startswith("/"):
                raise Stop(f"{option} {path}: the path is relative", f'{option} "$PWD/{path}"')
        try:
            found, self._read = log_files.logs(tuple(Path(path) for path in logs), self._asked)
            self._found += found
            if accounting is not None:
                jobs, note = log_files.accounting(Path(accounting))
                self._found += jobs
                self._read.append(note)
        except log_files.LogFileError as error:
            raise Stop(str(error), error.hint) from None

    def of_scheduler(self) -> None:
        """Slurm's nodes, jobs and daemons, acceptance, and the jobs that ended."""
        self._accounting()
        found = [
            dataclasses.replace(one, source=_SOURCE)
            for one in scheduler.of_document(self._document, self._asked, self._now)
        ]
        self._found += found
        self._read.append(f"{_SOURCE}: {len(found)} statements")
        for part in (*self._view.unknown(), *self._view.without_acceptance("diagnose")):
            self._unknown.append(NotRead(part["what"], part["reason"], part["hint"] or ""))
        if self._asked.subject == "job":
            self._output_of_job()

    def of_this_node(self) -> None:
        """The logs that are here, and what they leave out."""
        here = self._name_in_slurm()
        logs = NodeLogs(self._now - self._span, self._host, here, self._root)
        slurm_conf = (self._document.get("configuration") or {}).get("slurm_conf") or {}
        keys = ("SlurmctldLogFile", "SlurmdLogFile")
        logs.of_files([str(slurm_conf.get(key, "")) for key in keys])
        logs.of_journal(self._probe)
        self._found += logs.found
        self._read += logs.read
        self._unknown += logs.unknown
        question = " ".join(filter(None, (self._asked.subject, self._asked.name)))
        elsewhere = f"clusterwright diagnose FILE {question}".strip()
        name = self._asked.name
        if self._asked.subject == "node" and name not in (self._host, here):
            reason = "they are on that node, and in the cluster's log group"
            hint = f"there: sudo journalctl > FILE, and here: {_here(elsewhere)} --log FILE"
            self._unknown.append(NotRead(f"the logs of {name}", reason, hint))
        self._unknown.append(
            NotRead(
                "events, states and log groups in AWS",
                "this node has no right to read them",
                f"from a workstation: {elsewhere}",
            )
        )

    def diagnosis(self) -> Diagnosis:
        evidence = concerning(self._found, self._asked, self._names, self._document)
        unknown = list(self._unknown)
        if not evidence:
            unknown += missing(self._asked, self._names, self._document, self._found)
        view = self._view
        account = view.setting.account or ""
        context = engine.Context(
            "FILE", view.setting.environment, account, view.setting.region, running=self._asked
        )
        found = engine.findings(evidence, context)
        return Diagnosis(tuple(map(_with_commands_here, found)), tuple(self._read), tuple(unknown))

    def _accounting(self) -> None:
        """Replace the jobs of the last day by those of the whole span."""
        minutes = max(1, int(self._span.total_seconds() // 60))
        asked = self._asked
        one = [f"--jobs={asked.name}"] if asked.subject == "job" else []
        ran = self._probe.run(
            [
                *("env", "TZ=UTC", "sacct", "--allusers", "--duplicates", "--parsable2"),
                *(f"--delimiter={SEPARATOR}", f"--starttime=now-{minutes}minutes"),
                f"--format={','.join(_COLUMNS)}",
                *one,
            ],
            _TIMEOUT_SECONDS,
        )
        if not ran.ok:  # it may have printed the head of the table
            self._unknown.append(NotRead("the jobs that ended", ran.summary))
            return
        try:
            # A name may contain the separator of the usual form.
            jobs = sacct.jobs(ran.stdout.replace("|", " ").replace(SEPARATOR, "|"))
        except sacct.SacctError:
            self._unknown.append(NotRead("the jobs that ended", "no answer of sacct"))
            return
        for job in jobs:
            if job.get("nodes") == "None assigned":
                job["nodes"] = ""
        self._document["ended"] = jobs
        self._read.append(f"sacct: {len(jobs)} jobs")

    def _output_of_job(self) -> None:
        """The files that a job writes, by slurmctld, or by accounting after it forgot the job.

        The user names them, and the server of their file system may be gone: they are read in
        processes with a limit of time, and as the job's user.
        """
        what = f"the output of job {self._asked.name}"
        shown = self._probe.run(["scontrol", "--oneliner", "show", "job", self._asked.name])
        records = [words(line) for line in shown.stdout.splitlines()] if shown.ok else []
        files = {
            record[key]: record.get("UserId", "").partition("(")[0]
            for record in records
            for key in ("StdErr", "StdOut")
            if record.get(key, "").startswith("/")
        }
        if not files:
            files, refused = self._recorded_output()
            if not files:
                reason = "slurmctld names no file of it" if shown.ok else shown.summary
                reason += f"; {refused}"
                self._unknown.append(NotRead(what, reason, "give it with --log FILE"))
        probe = self._probe.with_time(_TIMEOUT_SECONDS)
        for path, user in list(files.items())[:_MOST_OUTPUTS]:
            reason = self._output(probe, path, user)
            if reason:
                hint = "give a copy with --log FILE"
                self._unknown.append(NotRead(f"{what}, {path}", reason, hint))
        if len(files) > _MOST_OUTPUTS:
            reason = f"only {_MOST_OUTPUTS} of {len(files)} files are read"
            self._unknown.append(NotRead(what, reason, "ask for one task, or give --log FILE"))

    def _recorded_output(self) -> tuple[dict[str, str], str]:
        """Users by file in accounting, or why there is none: Slurm before 24.05 keeps none."""
        ran = self._probe.run(
            [
                *("sacct", "--allusers", "--allocations", "--noheader", "--parsable2"),
                *(f"--delimiter={SEPARATOR}", "--expand-patterns"),
                "--format=User,WorkDir,StdErr,StdOut",
                f"--jobs={self._asked.name}",
            ],
            _TIMEOUT_SECONDS,
        )
        if not ran.ok:
            return {}, ran.summary
        found = {
            posixpath.join(folder, name): user
            for user, folder, *names in rows(ran.stdout, 4)
            for name in names
            if user and name and folder.startswith("/")
        }
        return found, "sacct names none"

    def _output(self, probe: Probe, path: str, user: str) -> str:
        """Read a file of the job; why it could not be read."""
        as_user = ["runuser", "-u", user, "--"] if os.geteuid() == 0 else []
        limit = ["timeout", "--signal=KILL", f"{_TIMEOUT_SECONDS:.0f}"]
        end = ["sh", "-c", _END_OF_FILE, "sh", path, str(log_files.MAXIMUM_BYTES)]
        ran = probe.run([*as_user, *limit, *end], _OUTPUT_SECONDS)
        if not ran.ok:
            return ran.summary
        lines = log_files.lines(ran.stdout)
        if lines is None:
            return "no text"
        # Its name may have another job's id: slurm-12_3.out is of the job 15 too.
        self._found += evidence(lines, Place(path, path, job=self._asked.name))
        self._read.append(f"{path}: {len(lines)} lines")
        return ""

    def _name_in_slurm(self) -> str:
        """By this host's name, or an address; empty if this is none of Slurm's nodes."""
        if self._host in scheduler.nodes_in(self._document):
            return self._host
        shown = self._probe.run(["ip", "-oneline", "address", "show", "scope", "global"])
        own = re.findall(r" inet6? ([\da-f.:]+)/", shown.stdout)
        nodes = self._document.get("nodes") or ()
        return next((str(node["name"]) for node in nodes if node.get("address") in own), "")


def _with_commands_here(finding: Finding) -> Finding:
    return dataclasses.replace(finding, next=tuple(map(_here, finding.next)))


def _here(command: str) -> str:
    """A command as it is called on a node; those that do not run there keep FILE."""
    return _AS_ROOT.sub(rf"sudo {ENTRY} \1", _ANYWHERE.sub(r"clusterwright \1", command))


def _document(found: Diagnosis) -> dict[str, Any]:
    return {
        "schema_version": SCHEMA_VERSION,
        "command": "diagnose",
        "exit_code": found.exit_code,
        "findings": [
            {
                "cause": one.cause,
                "severity": one.severity,
                "confidence": one.confidence,
                "evidence": [_evidence(each) for each in one.evidence],
                "resources": list(one.resources),
                "next": list(one.next),
                "signature": one.signature,
            }
            for one in found.findings
        ],
        "read": list(found.read),
        "unknown": [dataclasses.asdict(one) for one in found.unknown],
    }


def _evidence(one: Evidence) -> Mapping[str, Any]:
    time = None if one.time is None else one.time.isoformat()
    return {"source": one.source, "id": one.id, "time": time, "text": one.text}
