"""Execution of rules: subjects, facts, waivers; one result per rule."""

from __future__ import annotations

import dataclasses
import os
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from clusterwright.aws.errors import AwsUnavailable
from clusterwright.catalog import CatalogError
from clusterwright.cluster_spec.problems import Path, path_text
from clusterwright.preflight.context import Context
from clusterwright.preflight.facts.fact import NOTHING_READ, Fact, FactValues
from clusterwright.preflight.facts.reader import FactReader
from clusterwright.preflight.registry import RuleFile
from clusterwright.preflight.results import (
    CheckResult,
    Finding,
    RuleResult,
    Status,
    Unanswered,
    Waived,
    in_order,
)
from clusterwright.preflight.rule import Fail, Rule, Subject, Unknown
from clusterwright.preflight.waivers import covers

REFERENCE: Final = "docs/reference/rules.md"


ASKING_SECONDS: Final = 5.0
"""Maximum time for which offline rules wait until requests are sent."""


@dataclass(frozen=True)
class Selection:
    """The selected rules; the others are skipped and counted."""

    only: frozenset[str] | None = None
    skip: frozenset[str] = frozenset()
    offline: bool = False

    def reason_to_skip(self, file: RuleFile) -> str | None:
        """Return why a rule is skipped, or None if it runs."""
        if self.only is not None and file.id not in self.only:
            return "not in --only"
        if file.id in self.skip:
            return "--skip"
        if self.offline and file.scope == "account":
            return "--offline"
        return None


def run(
    files: Sequence[RuleFile],
    context: Context,
    reader: FactReader | None,
    selection: Selection = Selection(),
) -> CheckResult:
    """Return every rule's result; `reader` may be None if no account rule is selected.

    Rules that are skipped are not imported, so their titles are not known.

    Raises
    ------
    CatalogError
        A file of the catalogue cannot be read.
    """
    started = time.perf_counter()
    ids = frozenset(file.id for file in files)
    context = dataclasses.replace(context, rule_ids=ids, offline=selection.offline)
    chosen = [file.rule for file in files if selection.reason_to_skip(file) is None]
    works = [_Work(rule) for rule in chosen if not rule.after]
    for work in works:
        work.prepare(context)
    asking = [work for work in works if any(work.facts)]
    wanted = [fact for work in asking for facts in work.facts for fact in facts]
    reading = _Reading(reader, wanted) if reader is not None and wanted else None
    if reading is not None and reader is not None:
        # Send requests first: the offline rules then run while the responses are pending.
        reader.until_asked(ASKING_SECONDS)
    for work in works:
        if work not in asking:
            work.judge(context, NOTHING_READ)
    values = reading.values() if reading is not None else NOTHING_READ
    for work in asking:
        work.judge(context, values)
    seen = dataclasses.replace(
        context,
        findings=tuple(finding for work in works for finding in work.findings),
        decided=frozenset(w.rule.id for w in works if not w.unanswered and w.crash is None),
    )
    last = [_Work(rule) for rule in chosen if rule.after]
    for work in last:
        work.prepare(seen)
        work.judge(seen, NOTHING_READ)
    done = {work.rule.id: work for work in (*works, *last)}
    for work in done.values():
        work.waive(context)
    return CheckResult(
        file=context.spec.file,
        environment=context.cluster.environment,
        rules=tuple(_result(file, done.get(file.id), selection) for file in files),
        findings=in_order(f for work in done.values() for f in work.findings),
        unanswered=tuple(u for work in done.values() for u in work.unanswered),
        waived=tuple(w for work in done.values() for w in work.waived),
        calls=reader.calls if reader is not None else 0,
        api_calls=reader.api_calls if reader is not None else 0,
        longest_chain=reader.longest_chain if reader is not None else 0,
        seconds=time.perf_counter() - started,
    )


def needed(
    files: Sequence[RuleFile], context: Context, selection: Selection = Selection()
) -> dict[str, tuple[Fact[Any], ...]]:
    """Return the account facts that each rule needs for this spec; nothing is read.

    Raises
    ------
    CatalogError
        A file of the catalogue cannot be read.
    Exception
        A rule crashed, which is an internal error.
    """
    context = dataclasses.replace(context, rule_ids=frozenset(file.id for file in files))
    found = {}
    for file in files:
        if selection.reason_to_skip(file) is None:
            work = _Work(file.rule)
            work.look(context)
            wanted = tuple(dict.fromkeys(fact for facts in work.facts for fact in facts))
            if wanted:
                found[file.id] = wanted
    return found


class _Reading:
    """Facts that are read while rules without facts run."""

    def __init__(self, reader: FactReader, wanted: Sequence[Fact[Any]]) -> None:
        self._outcome: FactValues | BaseException | None = None
        self._thread = threading.Thread(
            target=self._read, args=(reader, wanted), name="clusterwright-reading", daemon=True
        )
        self._thread.start()

    def values(self) -> FactValues:
        """Return the values. Raises any exception of the reader, which is an internal error."""
        self._thread.join()
        if isinstance(self._outcome, BaseException):
            raise self._outcome
        assert self._outcome is not None
        return self._outcome

    def _read(self, reader: FactReader, wanted: Sequence[Fact[Any]]) -> None:
        try:
            self._outcome = reader.read(wanted)
        except BaseException as error:  # noqa: BLE001 - raised where it is waited for
            self._outcome = error


@dataclass(eq=False)
class _Work:
    """Execution of one rule."""

    rule: Rule[Any]
    subjects: list[Subject[Any]] = field(default_factory=list)
    facts: list[tuple[Fact[Any], ...]] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    unanswered: list[Unanswered] = field(default_factory=list)
    waived: list[Waived] = field(default_factory=list)
    crash: str | None = None

    def prepare(self, context: Context) -> None:
        try:
            self.look(context)
        except CatalogError:
            raise
        except Exception as error:  # noqa: BLE001 - one bug must not hide other findings
            self._crashed(error)

    def look(self, context: Context) -> None:
        self.subjects = list(self.rule.subjects(context))
        self.facts = [self.rule.facts_for(s, context) for s in self.subjects]

    def judge(self, context: Context, values: FactValues) -> None:
        if self.crash is not None:
            return
        for subject, facts in zip(self.subjects, self.facts, strict=True):
            refusals = values.refusals(facts)
            if refusals:
                self.unanswered += [self._refused(subject[0], r, context) for r in refusals]
                continue
            try:
                for verdict in self.rule.results(subject, context, values):
                    self._take(verdict, subject[0], context)
            except CatalogError:
                raise
            except Exception as error:  # noqa: BLE001 - as above
                self._crashed(error)
                return

    def waive(self, context: Context) -> None:
        kept = []
        for finding in self.findings:
            waiver = next(
                (
                    w
                    for w in context.cluster.waivers
                    if w.rule == self.rule.id
                    and w.expires >= context.today
                    and (w.path is None or covers(w.path, finding.path))
                ),
                None,
            )
            if waiver is None:
                kept.append(finding)
            else:
                self.waived.append(
                    Waived(finding=finding, reason=waiver.reason, expires=waiver.expires)
                )
        self.findings = kept

    @property
    def status(self) -> Status:
        if self.findings:
            return "fail"
        if self.unanswered or self.crash is not None:
            return "unknown"
        return "waived" if self.waived else "pass"

    def _take(self, verdict: Fail | Unknown, path: Path, context: Context) -> None:
        path = path if verdict.path is None else verdict.path
        common: dict[str, Any] = {
            "rule": self.rule.id,
            "path": path_text(path),
            "message": verdict.message,
            "position": context.spec.position(path),
            "hint": verdict.hint,
            "doc": doc_of(self.rule),
            "quota": verdict.quota,
        }
        if isinstance(verdict, Unknown):
            self.unanswered.append(Unanswered(severity=self.rule.severity, **common))
            return
        where = verdict.where
        self.findings.append(
            Finding(
                severity=verdict.severity or self.rule.severity,
                requested=verdict.requested,
                used=verdict.used,
                limit=verdict.limit,
                where=where,
                quota_code=verdict.quota_code,
                **common,
            )
        )

    def _refused(self, path: Path, refusal: AwsUnavailable, context: Context) -> Unanswered:
        return Unanswered(
            rule=self.rule.id,
            severity=self.rule.severity,
            path=path_text(path),
            message=f"{self.rule.title}: {refusal.message}",
            position=context.spec.position(path),
            hint=refusal.hint,
            doc=doc_of(self.rule),
            service=refusal.service,
            operation=refusal.operation,
            iam_action=refusal.iam_action,
            region=refusal.region or context.region,
            reason=refusal.reason,
        )

    def _crashed(self, error: Exception) -> None:
        if os.environ.get("CLUSTERWRIGHT_DEBUG"):
            raise error
        self.crash = f"{type(error).__name__}: {error}"


def doc_of(rule: Rule[Any]) -> str:
    """Return the URL of a rule in the reference."""
    return f"{REFERENCE}#{rule.id.lower()}"


def _result(file: RuleFile, work: _Work | None, selection: Selection) -> RuleResult:
    account = file.scope == "account"
    if work is None:
        return RuleResult(
            rule=file.id,
            account=account,
            status="skipped",
            skipped_because=selection.reason_to_skip(file),
        )
    return RuleResult(
        rule=file.id,
        title=work.rule.title,
        severity=work.rule.severity,
        account=account,
        status=work.status,
        tested=len(work.subjects),
        crash=work.crash,
        prevents=work.rule.prevents,
        source=work.rule.source,
    )
