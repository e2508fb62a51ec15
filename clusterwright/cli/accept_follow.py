"""Starts an acceptance run, and follows it until its end."""

from __future__ import annotations

import datetime as dt
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, Generic, TypeVar

from clusterwright.aws.errors import AwsUnavailable
from clusterwright.cli.errors import UserError
from clusterwright.cli.progress import ProgressLine

if TYPE_CHECKING:
    from clusterwright.aws.session import AwsSession
    from clusterwright.cli.cluster_reading import ReadCluster
    from clusterwright.cluster_state.acceptance import RunReport
    from clusterwright.cluster_state.kubernetes_acceptance import KubernetesRuns
    from clusterwright.cluster_state.not_read import NotRead
    from clusterwright.cluster_state.requests import Answer, Level, Request
    from clusterwright.operate.acceptance_results import AcceptReport, Status

_POLL_SECONDS: Final = 5.0

Found = TypeVar("Found")


class AcceptWork:
    """One run of acceptance. `reader` reads its report, `report` is what is planned."""

    def __init__(
        self, read: ReadCluster, reader: AwsSession | KubernetesRuns, report: AcceptReport
    ) -> None:
        self._read = read
        self._reader = reader
        self._report = report
        level = report.level
        assert level != "deep-health-checks"
        self._level: Level = level

    def start(self, names: tuple[str, ...]) -> str | AcceptReport:
        """Start a run of the nodes, or of all; its id, or the report of a refusal.

        Raises
        ------
        AwsUnavailable
            The request cannot be sent. Later errors are tried again.
        """
        from clusterwright.cluster_state.kubernetes_acceptance import KubernetesRuns

        if isinstance(self._reader, KubernetesRuns):
            return self._start_job(self._reader, names)
        return self._start_request(self._reader, names)

    def _start_job(self, runs: KubernetesRuns, names: tuple[str, ...]) -> str | AcceptReport:
        from clusterwright.cluster_state.requests import new_request
        from clusterwright.operate.status import unknown_of

        level = self._level
        now = dt.datetime.now(dt.UTC)
        run = new_request("accept", names, "acceptance", now=now, level=level).id
        self._tell_plan("pods")
        refused = runs.start(run, level, names)
        if refused is not None:
            return replace(self._report, status="refused", unknown=unknown_of([refused]))
        tell(f"run {run}: started as a Job")
        return run

    def _start_request(self, session: AwsSession, names: tuple[str, ...]) -> str | AcceptReport:
        from clusterwright.cluster_state import requests
        from clusterwright.cluster_state.published import publishing_node
        from clusterwright.operate.acceptance import lustre_figures
        from clusterwright.operate.status import unknown_of
        from clusterwright.platforms.hyperpod.instance_groups import lifecycle_bucket
        from clusterwright.render.table import counted

        cluster = self._read.spec.cluster
        unknown = unknown_of([self._read.state.scheduler.unknown])
        if unknown:
            return replace(self._report, status="refused", unknown=unknown)
        bucket, publisher = lifecycle_bucket(cluster), publishing_node(cluster)
        request = requests.new_request(
            "accept",
            names,
            f"acceptance, level {self._report.level}",
            now=dt.datetime.now(dt.UTC),
            level=self._level,
            lustre=lustre_figures(cluster),
            waivers=cluster.acceptance.waivers,
        )
        self._check_size(request)
        self._tell_plan("exclusive jobs of Slurm")
        count = counted(len(cluster.acceptance.waivers), "waiver")
        tell(f"Sends {count} of the file, in place of those that {publisher} keeps.")
        requests.send(session, bucket, request)
        tell(f"run {request.id}: waiting for {publisher}")
        waited: Waited[Answer | NotRead] = wait_for(
            lambda: requests.answer(session, bucket, request.id),
            lambda _: True,
            f"the answer to {request.id}",
            requests.VALID_FOR.total_seconds(),
        )
        found = waited.found
        if isinstance(found, requests.Answer):
            return self._refusal(found, publisher) or request.id
        problem = found or waited.problem
        if problem is not None:
            # It was sent, so the run may have started.
            return self._unknown(request.id, problem, self._again(request.id))
        reason = f"{publisher} did not answer before the request expired"
        hint = f"see on {publisher}: journalctl --unit clusterwright-state"
        return self._without(request.id, "refused", f"the request {request.id}", reason, hint)

    def _check_size(self, request: Request) -> None:
        """Raises UserError if the controller would not read the whole request."""
        from clusterwright.cluster_state.requests import LARGEST_BYTES, text_of

        size = len(text_of(request).encode())
        if size > LARGEST_BYTES:
            raise UserError(
                f"the request with the waivers of {self._report.file} has {size:,} bytes, and the "
                f"controller reads at most {LARGEST_BYTES:,}",
                "remove expired waivers, or name groups in place of nodes",
            )

    def _tell_plan(self, means: str) -> None:
        from clusterwright.render.accept import plan_sentences

        for line in plan_sentences(self._report, means):
            tell(line)

    def _refusal(self, found: Answer, publisher: str) -> AcceptReport | None:
        from clusterwright.operate.results import UnknownPart

        if not found.refused:
            return None
        parts = tuple(
            UnknownPart(
                one.node or "the request", f"{publisher} refused it: {one.reason}", None, None
            )
            for one in found.refused
        )
        return replace(self._report, status="refused", run=found.id, unknown=parts)

    def follow(self, run: str, limit: float) -> AcceptReport:
        """Wait for the end of a run, `limit` seconds; errors are tried again until then."""
        from clusterwright.cluster_state.not_read import NotRead

        waited: Waited[RunReport | NotRead] = wait_for(
            lambda: self._run_report(run),
            lambda one: isinstance(one, NotRead) or one.status != "running",
            f"the run {run}",
            limit,
        )
        found = waited.found
        if isinstance(found, NotRead):
            return self._unknown(run, found, None)
        if found is not None and found.status != "running":
            return self._ended(run, found)
        if found is None and waited.problem is not None:
            return self._unknown(run, waited.problem, self._again(run))
        if found is None:
            reason = "the controller has published no report of it"
        else:
            reason = f"it has not ended after {waited.seconds:.0f} s"
        if waited.problem is not None:
            reason += f", and is not read any more: {waited.problem.reason}"
        return self._without(run, "running", f"the run {run}", reason, self._again(run))

    def _run_report(self, run: str) -> RunReport | NotRead | None:
        from clusterwright.cluster_state.acceptance import run_report
        from clusterwright.cluster_state.kubernetes_acceptance import KubernetesRuns
        from clusterwright.platforms.hyperpod.instance_groups import lifecycle_bucket

        if isinstance(self._reader, KubernetesRuns):
            return self._reader.report(run)
        return run_report(self._reader, lifecycle_bucket(self._read.spec.cluster), run)

    def _ended(self, run: str, found: RunReport) -> AcceptReport:
        from clusterwright.cluster_state.not_read import known
        from clusterwright.operate.deep_health import with_deep_health
        from clusterwright.operate.results import UnknownPart
        from clusterwright.operate.status import unknown_of

        deep_health = self._read.state.deep_health
        unknown: tuple[UnknownPart, ...] = ()
        if found.status == "failed":
            unknown = (UnknownPart(f"the run {run}", found.reason, None, None),)
        return replace(
            self._report,
            status=found.status,
            run=run,
            level=found.level,
            nodes=with_deep_health(found.nodes, known(deep_health) or {}),
            cluster_checks=found.cluster_checks,
            suspects=found.suspects,
            baseline=found.baseline,
            unknown=unknown + unknown_of([deep_health]),
        )

    def _unknown(self, run: str, problem: NotRead, again: str | None) -> AcceptReport:
        """The report of a run of which nothing is known but that it was requested."""
        from clusterwright.operate.results import UnknownPart

        hint = "; then ".join(text for text in (problem.hint, again) if text) or None
        part = UnknownPart(problem.what, problem.reason, hint, problem.iam_action)
        return replace(self._report, status="unknown", run=run, unknown=(part,))

    def _without(
        self, run: str, status: Status, what: str, reason: str, hint: str
    ) -> AcceptReport:
        from clusterwright.operate.results import UnknownPart

        part = UnknownPart(what, reason, hint, None)
        return replace(self._report, status=status, run=run, unknown=(part,))

    def _again(self, run: str) -> str:
        return f"clusterwright accept {self._report.file} --run {run}"


@dataclass(frozen=True)
class Waited(Generic[Found]):
    """The last that was read, why the last attempt failed, and how long it took."""

    found: Found | None
    problem: NotRead | None
    seconds: float


def wait_for(
    read: Callable[[], Found | None],
    is_last: Callable[[Found], bool],
    what: str,
    limit: float,
    pause: float | None = None,
) -> Waited[Found]:
    """Read until `is_last` or the limit; errors of AWS and kubectl are told and tried again."""
    from clusterwright.cluster_state.kubernetes_view import KubectlFailed
    from clusterwright.cluster_state.not_read import NotRead

    progress = ProgressLine(sys.stderr, what)
    began = time.monotonic()
    found: Found | None = None
    told: str | None = None
    while True:
        problem: NotRead | None = None
        try:
            found = read() or found
        except AwsUnavailable as error:
            problem = NotRead.from_error(what, error)
        except KubectlFailed as error:
            problem = NotRead(what, str(error))
        waited = time.monotonic() - began
        is_over = problem is None and found is not None and is_last(found)
        if is_over or waited >= limit:
            progress.clear()
            return Waited(found, problem, waited)
        if problem is not None and problem.reason != told:
            progress.clear()
            tell(f"{what}: {problem.reason}; it is tried again")
        told = problem.reason if problem is not None else None
        progress.show(int(waited), int(limit))
        time.sleep(min(_POLL_SECONDS if pause is None else pause, limit - waited))


def tell(line: str) -> None:
    print(line, file=sys.stderr, flush=True)
