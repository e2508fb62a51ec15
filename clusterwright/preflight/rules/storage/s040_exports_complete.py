"""Every file of a file system to be deleted is exported."""

from __future__ import annotations

import datetime as dt

from clusterwright.aws.fsx import DataRepositoryAssociation
from clusterwright.cost.bill_extras import FileSystemRef
from clusterwright.preflight.facts.exports import Exports, ExportState
from clusterwright.preflight.rule import (
    Context,
    Facts,
    FactValues,
    Fail,
    Results,
    Rule,
    Subjects,
    Unknown,
)

_LATE = dt.timedelta(days=1)
"""A file system that is older than its association by more than this may have earlier files, which
automatic export does not cover."""

_EXPORT = (
    "`aws fsx create-data-repository-task --type EXPORT_TO_REPOSITORY` exports the remaining "
    "files; automatic export must be disabled while it runs"
)


class ExportsComplete(Rule[FileSystemRef]):
    id = "CW-S040"
    prevents = "files lost with the file system: FSx deletes it without checking"
    source = "FSx API, DeleteFileSystem: AgeOfOldestQueuedMessage of 0, or an export task"

    def subjects(self, context: Context) -> Subjects[FileSystemRef]:
        if context.retire is not None:
            yield context.retire.path, context.retire

    def needs(self, ref: FileSystemRef, context: Context) -> Facts:
        return (_fact(ref, context),)

    def check(self, ref: FileSystemRef, context: Context, facts: FactValues) -> Results:
        fact = _fact(ref, context)
        found = facts[fact]
        name = fact.id or fact.name
        if len(found) != 1:
            count = "no file system" if not found else f"{len(found)} file systems"
            yield Fail(
                message=f"the account has {count} {name} in {context.region}: exports cannot be "
                "verified",
                where=context.region,
            )
            return
        (state,) = found
        if state.file_system.kind != "LUSTRE":
            yield Fail(
                message=f"{name} is {state.file_system.kind}: it cannot export to a bucket",
                where=state.file_system.id,
                hint="delete it with a final backup (SkipFinalBackup: false)",
            )
            return
        yield from _results(state)


def _fact(storage: FileSystemRef, context: Context) -> ExportState:
    name = f"{context.cluster.environment}-{storage.name}"
    return ExportState(storage.existing_id, name)


def _results(state: Exports) -> Results:
    where = state.file_system.id
    if state.file_system.lifecycle not in ("AVAILABLE", "UPDATING"):
        yield Fail(message=f"{where} is {state.file_system.lifecycle}", where=where)
        return
    if not state.associations:
        how = (
            "it uses the legacy ImportPath link to a bucket"
            if state.file_system.import_path
            else ""
        )
        yield Fail(
            message=f"{where} has no data repository association"
            f"{f' ({how})' if how else ''}: nothing is exported",
            where=where,
            hint=None if state.file_system.import_path is None else _EXPORT,
        )
        return
    yield from _uncovered(state)
    yield from _running(state)
    for association in state.associations:
        yield from _association(state, association)
    yield from _writing(state)


def _uncovered(state: Exports) -> Results:
    """A waiver documents that the files were checked by hand."""
    paths = sorted(association.path for association in state.associations)
    if "/" not in paths:
        where = state.file_system.id
        yield Fail(
            message=f"files outside {', '.join(paths)} have no bucket, and no AWS API reports "
            "whether there are any",
            where=where,
            hint="check on a node, as in docs/how-to/retire-a-file-system.md; waive CW-S040 if "
            "nothing is needed",
        )


def _running(state: Exports) -> Results:
    for task in state.tasks:
        if task.lifecycle in ("PENDING", "EXECUTING", "CANCELING"):
            yield Fail(
                message=f"export task {task.id} is {task.lifecycle}", where=state.file_system.id
            )
    newest = state.tasks[0] if state.tasks else None
    if newest is not None and newest.lifecycle in ("FAILED", "CANCELED", "SUCCEEDED"):
        if newest.lifecycle != "SUCCEEDED":
            yield Fail(
                message=f"the newest export, task {newest.id}, is {newest.lifecycle}",
                where=state.file_system.id,
                hint="its report in the bucket lists the files that were not exported",
            )
        elif newest.failed_count is None:
            yield Unknown(
                message=f"FSx does not report how many files task {newest.id} failed to export"
            )
        elif newest.failed_count:
            yield Fail(
                message=f"task {newest.id} did not export {newest.failed_count:,} files",
                requested=0,
                used=newest.failed_count,
                where=state.file_system.id,
                hint="its report in the bucket lists them",
            )


def _association(state: Exports, association: DataRepositoryAssociation) -> Results:
    where, named = association.id, f"{association.path} ({association.bucket})"
    if association.lifecycle != "AVAILABLE":
        more = f": {association.failure}" if association.failure else ""
        yield Fail(
            message=f"the association of {named} is {association.lifecycle}{more}", where=where
        )
        return
    task = state.last_export
    if task is not None and _covers(task.paths, association.path):
        if state.written_since_export == 0:
            return
        if state.written_since_export is None and not association.exports_automatically:
            yield Unknown(
                message=f"{named}: CloudWatch has no DataWriteBytes of {state.file_system.id} "
                f"since export {task.id}"
            )
            return
    if not association.exports_automatically:
        events = ", ".join(association.export_events) or "nothing"
        written = state.written_since_export
        since = (
            f", and {written:,.0f} bytes were written since export {task.id}"
            if task is not None and written
            else ""
        )
        yield Fail(
            message=f"{named} exports {events} automatically{since}: files may not be in the "
            "bucket",
            where=where,
            hint=_EXPORT,
        )
        return
    if association.created - state.file_system.created > _LATE and not (
        task is not None
        and _covers(task.paths, association.path)
        and task.created > association.created
    ):
        yield Fail(
            message=f"{named} was associated with its bucket on {association.created:%Y-%m-%d}, "
            "after the "
            f"file system was created ({state.file_system.created:%Y-%m-%d}): older files are "
            "exported only by a task",
            where=where,
            hint=_EXPORT,
        )
    pending = state.oldest_pending_seconds
    if pending is None:
        yield Unknown(
            message=f"{named}: CloudWatch has no AgeOfOldestQueuedMessage (AutoExport) of "
            f"{state.file_system.id} in the last 15 minutes"
        )
    elif pending > 0:
        yield Fail(
            message=f"{named}: the oldest pending export has waited for {pending:,.0f} s",
            requested=0,
            used=pending,
            where=where,
            hint="wait until it is 0, then check again",
        )


def _writing(state: Exports) -> Results:
    written = state.written_bytes
    if written is None:
        yield Unknown(
            message=f"CloudWatch has no DataWriteBytes of {state.file_system.id} in the last "
            "15 minutes: whether clients are writing is not known"
        )
    elif written > 0:
        yield Fail(
            message=f"{written:,.0f} bytes were written in the last 15 minutes",
            requested=0,
            used=written,
            where=state.file_system.id,
            hint="stop the jobs and unmount the file system first",
        )


def _covers(paths: tuple[str, ...], wanted: str) -> bool:
    """Whether a task's paths (none: everything) contain a path; tasks give paths from the root."""
    if not paths:
        return True
    inside = "/" + wanted.strip("/") + "/"
    return any(
        inside.startswith("/" + path.strip("/") + "/") or path.strip("/") == "" for path in paths
    )
