"""Errors that logs state in the forms of many programs."""

from __future__ import annotations

import pytest

from clusterwright.diagnosis import statements
from tests.diagnosis.made import findings, item, of_log


def _causes(text: str) -> list[str]:
    return [finding.cause for finding in findings(*of_log(text))]


@pytest.mark.parametrize(
    ("text", "begins"),
    [
        ("kubelet[9]: F0328 17:13:57.9 1 server.go:9] no such table: x", "kubelet: something"),
        ("frobd: error: gizmo 7 is missing", "frobd: something that the program needs"),
        ("2026-11-27 - frob - ERROR - the gizmo was not found", "something that the program"),
        ('{"level":"error","msg":"the gizmo is missing","logger":"x"}', "something that"),
        (
            '{"level":"error","msg":"failed to read gizmo","controller":"frobber","error":"the gizmo is missing"}',
            "frobber: something that",
        ),
        ('level=fatal msg="gizmo does not exist"', "something that the program needs"),
        ("tracker: ERROR the start took too long", "tracker: something did not answer"),
        ("Warning  FailedFrob  2m (x3 over 9m)  kubelet  gizmo is malformed", "FailedFrob: data"),
        ("thread 'main' panicked at src/a.rs: schema of the file", "data or a file"),
        ("Unable to start gizmo without its schema, exiting. Use --x", "data or a file"),
        (
            "/opt/run.sh: line 3: 77 Killed   python train.py",
            "python train.py ended: it was killed",
        ),
        ("Killed", "a program ended: it was killed (SIGKILL)"),
        ("launcher: Rank 2 crashed with exit code -7.", "a program ended: bus error"),
        ("Frob ended with exit code 137", "a program ended: it was killed"),
        ("frob.service: ended signal=9", "a program ended: it was killed"),
    ],
)
def test_form_and_words_name_the_cause(text: str, begins: str) -> None:
    (cause,) = _causes(text)
    assert cause.startswith(begins)


@pytest.mark.parametrize(
    "text",
    [
        "frobd: warning: gizmo 7 is missing, ignored",
        "E0328 17:13:57.9 1 reflector.go:9] the server could not find the resource",
        "Warning  Unhealthy  2m  kubelet  Readiness probe failed: connection refused",
        "frob exited with exit code 0",
        "frob: error: gizmo is missing\na\nb\nc\nd",
        "INFO retrying after an error: timed out",
    ],
)
def test_what_is_over_or_no_error_is_no_cause(text: str) -> None:
    assert _causes(text) == []


def test_first_statement_of_the_last_run_is_the_cause() -> None:
    early = ["old: error: schema of x", *("step" for _ in range(40))]
    run = ["a: error: gizmo does not exist", "b: error: cannot decode what a gave"]
    (cause,) = _causes("\n".join((*early, *run)))
    assert cause.startswith("a: ")


def test_error_with_only_a_traceback_after_it_is_the_end_of_a_log() -> None:
    tail = ["Traceback (most recent call last):", '  File "/a.py", line 1, in f', "    wait()"]
    lines = ("x: ERROR start took too long", *tail, "asyncio.exceptions.CancelledError")
    (cause,) = _causes("\n".join(lines))
    assert cause.startswith("x: something did not answer")


def test_error_of_sorted_json_stands_before_its_level() -> None:
    (cause,) = _causes(
        '{"err":"server returned HTTP status 403 Forbidden","level":"error","msg":"no"}'
    )
    assert cause.startswith("access is denied: server returned HTTP status 403")


def test_words_that_an_sdk_adds_do_not_tell_the_kind() -> None:
    about = "(Service: AmazonAutoScaling; Status Code: 400; Error Code: {}; Proxy: null)"
    said = statements.of_failure(item("stack-event", "Frobs went " + about.format("Throttling")))
    assert said is not None
    assert said.startswith("too many requests at once")
    assert statements.of_failure(item("stack-event", "Frobs went " + about.format("Frob"))) is None


def test_words_of_a_report_without_a_reason_are_no_cause() -> None:
    report = "ncclRemoteError: A call failed possibly due to a network error or a remote process exiting"
    (found,) = findings(*of_log(report))
    assert found.signature == "nccl-peer"


def test_sentence_of_klog_with_a_level_of_information_is_no_error() -> None:
    text = "I0818 18:26:48.928915       1 frob.go:283] failed to frob the thing, which comes later"
    assert findings(*of_log(text)) == ()


def test_code_of_a_service_says_more_than_words_that_any_program_has() -> None:
    about = " (Service: AmazonEC2; Status Code: 400; Error Code: InvalidParameterCombination;"
    said = statements.of_failure(item("stack-event", "You must specify an allocation id" + about))
    assert said is not None
    assert said.startswith("invalid request: You must specify")
