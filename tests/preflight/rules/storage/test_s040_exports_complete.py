"""Tests of CW-S040."""

from __future__ import annotations

import dataclasses
import datetime as dt
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clusterwright.aws.fsx import DataRepositoryAssociation, ExportSource, ExportTask
from clusterwright.aws.session import AwsSession
from clusterwright.cli.main import main
from clusterwright.preflight.facts.exports import Exports, ExportState
from clusterwright.preflight.rule import Fail, Unknown
from clusterwright.preflight.rules.storage.s040_exports_complete import _results
from clusterwright_localaws import local_aws
from clusterwright_localaws.testing import Fault, runtime
from packages.localaws.tests.parts import build_site, client, open_lustre_ports
from tests.preflight.harness import Facts, Harness
from tests.support import specs

NOW = dt.datetime(2026, 11, 20, 12, tzinfo=dt.UTC)

FILE_SYSTEM = ExportSource(
    "fs-0123456789abcdef0", "test-fsx", "LUSTRE", "AVAILABLE", "SCRATCH_2", NOW, None
)

WHOLE = DataRepositoryAssociation(
    "dra-1", "/", "s3://b", "AVAILABLE", "", NOW, ("NEW", "CHANGED", "DELETED")
)

TASK = ExportTask("task-1", "SUCCEEDED", (), NOW, NOW, 0)

PROVED = Exports(FILE_SYSTEM, (WHOLE,), (), 0.0, 0.0, None)

SCRATCH = {
    "storage.lustre": [
        {"mount_path": "/fsx", "deployment_type": "SCRATCH_2", "capacity_gib": 1200}
    ]
}


def state(**changes: Any) -> Facts:
    return {ExportState(None, "test-fsx"): (dataclasses.replace(PROVED, **changes),)}


def with_association(**changes: Any) -> Facts:
    return state(associations=(dataclasses.replace(WHOLE, **changes),))


EVENTS = st.lists(st.sampled_from(["NEW", "CHANGED", "DELETED"]), unique=True).map(tuple)

AMOUNT = st.one_of(st.none(), st.just(0.0), st.floats(0.5, 1e12))

Run = Callable[..., tuple[int, dict[str, Any]]]


@pytest.fixture
def check(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    def run(*options: str) -> tuple[int, dict[str, Any]]:
        path = specs.write(tmp_path / "spec.yaml", specs.changed(SCRATCH))
        code = main(["check", str(path), "--retire", "/fsx", "--format", "json", *options])
        return code, json.loads(capsys.readouterr().out)

    return run


def build(events: list[str]) -> str:
    """A scratch file system named as by the stacks, associated with a bucket as a whole."""
    site = build_site()
    open_lustre_ports(site)
    client("s3").create_bucket(Bucket="corpus")
    made = client("fsx").create_file_system(
        FileSystemType="LUSTRE",
        StorageCapacity=1200,
        SubnetIds=[site.subnet_id],
        SecurityGroupIds=[site.group_id],
        LustreConfiguration={"DeploymentType": "SCRATCH_2"},
        Tags=[{"Key": "Name", "Value": "test-fsx"}],
    )["FileSystem"]["FileSystemId"]
    client("fsx").create_data_repository_association(
        FileSystemId=made,
        FileSystemPath="/",
        DataRepositoryPath="s3://corpus",
        S3={"AutoExportPolicy": {"Events": events}} if events else {},
    )
    return str(made)


QUESTIONS = (
    ("fsx", "DescribeFileSystems"),
    ("fsx", "DescribeDataRepositoryAssociations"),
    ("fsx", "DescribeDataRepositoryTasks"),
    ("cloudwatch", "GetMetricStatistics"),
)


def test_empty_queue_and_idle_file_system_pass(rule: Harness) -> None:
    rule.passes("CW-S040", SCRATCH, state(), retire="/fsx")
    by_task = state(
        associations=(dataclasses.replace(WHOLE, export_events=()),),
        tasks=(TASK,),
        oldest_pending_seconds=None,
        written_since_export=0.0,
    )
    rule.passes("CW-S040", SCRATCH, by_task, retire="fsx")


def test_nothing_is_checked_without_the_option(rule: Harness) -> None:
    rule.passes("CW-S040", SCRATCH, {}, tested=False)


@pytest.mark.parametrize(
    ("facts", "message"),
    [
        (state(associations=()), "no data repository association: nothing is exported"),
        (with_association(path="/data"), "files outside /data have no bucket"),
        (with_association(export_events=("NEW",)), "exports NEW automatically"),
        (with_association(export_events=()), "exports nothing automatically"),
        (with_association(lifecycle="MISCONFIGURED", failure="no bucket"), "MISCONFIGURED: no b"),
        (
            with_association(created=NOW + dt.timedelta(days=3)),
            "older files are exported only by a task",
        ),
        (state(oldest_pending_seconds=340.0), "oldest pending export has waited for 340 s"),
        (state(written_bytes=5e9), "5,000,000,000 bytes were written in the last 15 minutes"),
        (
            state(tasks=(dataclasses.replace(TASK, lifecycle="EXECUTING"),)),
            "export task task-1 is EXECUTING",
        ),
        (
            state(tasks=(dataclasses.replace(TASK, failed_count=7),)),
            "task task-1 did not export 7 files",
        ),
        (
            state(tasks=(dataclasses.replace(TASK, lifecycle="FAILED", failed_count=None),)),
            "the newest export, task task-1, is FAILED",
        ),
        (
            state(
                associations=(dataclasses.replace(WHOLE, export_events=()),),
                tasks=(TASK,),
                written_since_export=10.0,
            ),
            "10 bytes were written since export task-1",
        ),
        (
            state(
                associations=(dataclasses.replace(WHOLE, export_events=()),),
                tasks=(dataclasses.replace(TASK, paths=("data",)),),
                written_since_export=0.0,
            ),
            "exports nothing automatically",
        ),
        (
            state(file_system=dataclasses.replace(FILE_SYSTEM, lifecycle="DELETING")),
            "is DELETING",
        ),
        (
            state(file_system=dataclasses.replace(FILE_SYSTEM, kind="OPENZFS")),
            "it cannot export to a bucket",
        ),
        ({ExportState(None, "test-fsx"): ()}, "the account has no file system test-fsx"),
        ({ExportState(None, "test-fsx"): (PROVED, PROVED)}, "the account has 2 file systems"),
    ],
)
def test_possible_data_loss_fails(rule: Harness, facts: Facts, message: str) -> None:
    rule.fails("CW-S040", SCRATCH, facts, path="storage.lustre[0]", message=message, retire="fsx")


@pytest.mark.parametrize(
    ("facts", "message"),
    [
        (state(oldest_pending_seconds=None), "no AgeOfOldestQueuedMessage"),
        (state(written_bytes=None), "whether clients are writing is not known"),
        (
            state(tasks=(dataclasses.replace(TASK, failed_count=None),)),
            "does not report how many files task task-1 failed to export",
        ),
        (
            state(
                associations=(dataclasses.replace(WHOLE, export_events=()),),
                tasks=(TASK,),
                written_since_export=None,
            ),
            "no DataWriteBytes",
        ),
    ],
)
def test_missing_metric_is_unknown(rule: Harness, facts: Facts, message: str) -> None:
    rule.unsure("CW-S040", SCRATCH, facts, path="storage.lustre[0]", message=message, retire="fsx")


@given(
    path=st.sampled_from(["/", "/data"]),
    lifecycle=st.sampled_from(["AVAILABLE", "CREATING", "MISCONFIGURED", "A_NEW_STATE"]),
    events=EVENTS,
    task=st.sampled_from(["SUCCEEDED", "FAILED", "EXECUTING", "A_NEW_STATE", None]),
    failed=st.sampled_from([0, 3, None]),
    pending=AMOUNT,
    written=AMOUNT,
    since=AMOUNT,
)
def test_one_of_two_proofs_is_required(
    path: str,
    lifecycle: str,
    events: tuple[str, ...],
    task: str | None,
    failed: int | None,
    pending: float | None,
    written: float | None,
    since: float | None,
) -> None:
    """An independent implementation of the two proofs; no finding means that one of them holds."""
    tasks = (
        () if task is None else (dataclasses.replace(TASK, lifecycle=task, failed_count=failed),)
    )
    exported = task == "SUCCEEDED" and failed == 0
    found = Exports(
        FILE_SYSTEM,
        (dataclasses.replace(WHOLE, path=path, lifecycle=lifecycle, export_events=events),),
        tasks,
        pending,
        written,
        since if exported else None,
    )
    verdicts = list(_results(found))
    quiet = written == 0 and path == "/" and lifecycle == "AVAILABLE"
    by_queue = {"NEW", "CHANGED"} <= set(events) and pending == 0
    by_task = exported and since == 0
    if not verdicts:
        assert quiet
        assert by_queue or by_task
        assert task != "EXECUTING"
    assert all(isinstance(verdict, (Fail, Unknown)) for verdict in verdicts)


@pytest.mark.parametrize(
    ("events", "activity", "code", "words"),
    [
        (["NEW", "CHANGED", "DELETED"], {}, 0, ""),
        (["NEW", "CHANGED"], {"oldest_queued_export_seconds": 90}, 1, "waited for 90 s"),
        (["NEW", "CHANGED"], {"oldest_queued_export_seconds": None}, 2, "AgeOfOldestQueued"),
        (["NEW", "CHANGED"], {"written_bytes_per_minute": 1000}, 1, "bytes were written"),
        ([], {}, 1, "exports nothing automatically"),
    ],
)
def test_local_aws_provides_the_required_answers(
    check: Run, events: list[str], activity: dict[str, Any], code: int, words: str
) -> None:
    with local_aws(file_system_activity=activity):
        build(events)
        found, answer = check()
    said = [entry["message"] for entry in (*answer["findings"], *answer["unknown"])]
    assert (found, answer["exit_code"]) == (code, code), said
    assert [rule["rule"] for rule in answer["rules"] if rule["status"] != "skipped"] == ["CW-S040"]
    assert all(words in message for message in said[:1])
    assert bool(said) is bool(words)


def test_succeeded_export_task_passes(check: Run) -> None:
    with local_aws():
        made = build([])
        client("fsx").create_data_repository_task(
            FileSystemId=made,
            Type="EXPORT_TO_REPOSITORY",
            Report={"Enabled": False},
        )
        code, answer = check()
    assert code == 0, answer["findings"]


def test_access_denied_is_unknown_and_names_the_permission(check: Run) -> None:
    faults = [
        {
            "service": "fsx",
            "operation": "DescribeDataRepositoryTasks",
            "error": "AccessDeniedException",
        }
    ]
    with local_aws(faults=faults):
        build(["NEW", "CHANGED"])
        code, answer = check()
    assert code == 2
    assert answer["unknown"][0]["iam_action"] == "fsx:DescribeDataRepositoryTasks"


@pytest.mark.parametrize(("service", "operation"), QUESTIONS)
@pytest.mark.parametrize(
    "fault",
    [
        {"error": "AccessDeniedException"},
        {"error": "InternalFailure", "status": 500},
        {"error": "ThrottlingException"},
        {"empty": True},
    ],
    ids=["denied", "broken", "throttled", "empty"],
)
def test_faults_in_answers_never_pass(
    check: Run, monkeypatch: pytest.MonkeyPatch, service: str, operation: str, fault: Any
) -> None:
    """An account without export tasks returns none: that alone is not a finding."""
    # One attempt, to avoid waiting.
    monkeypatch.setitem(AwsSession.__init__.__kwdefaults__, "max_attempts", 1)
    seed = Fault(service=service, operation=operation, **fault)
    with local_aws():
        build(["NEW", "CHANGED", "DELETED"])
        runtime().set_faults([seed])
        code, answer = check()
    no_tasks = (operation, fault) == ("DescribeDataRepositoryTasks", {"empty": True})
    assert code == (0 if no_tasks else 1 if fault.get("empty") and service == "fsx" else 2), answer
    if "error" in fault:
        assert answer["unknown"][0]["iam_action"] == f"{service}:{operation}"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--retire", "/scratch"), "the spec has no file system '/scratch'"),
        (("--retire", "fsx", "--offline"), "--retire reads the account"),
    ],
)
def test_usage_error_exits_with_3(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    options: tuple[str, ...],
    message: str,
) -> None:
    path = specs.write(tmp_path / "spec.yaml", specs.changed(SCRATCH))
    assert main(["check", str(path), *options]) == 3
    captured = capsys.readouterr()
    assert message in captured.err
    assert captured.out == ""
