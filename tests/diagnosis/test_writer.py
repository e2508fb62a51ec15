"""Programs by the form of their errors, and by the parts that write them."""

from __future__ import annotations

import re

import pytest

from clusterwright.diagnosis.parts import part
from clusterwright.diagnosis.writer import Writer
from tests.diagnosis.made import findings, of_log

FROB = Writer(
    "frob",
    re.compile(r"^frob (?:(?P<place>\w+\.go) )?ERROR (?P<message>.+)"),
    (part("the store", r"\bstore\b", r"store\.go"), part("the net", r"\bnet\b")),
    lambda message: "it was told 7" if "seven" in message else None,
    re.compile(r"as usual"),
)


def test_error_is_of_a_part_by_its_words_or_place() -> None:
    assert FROB.error("frob ERROR the net fell") == "frob: the net: the net fell"
    assert FROB.error("frob store.go ERROR fell") == "frob: the store: fell"
    assert FROB.error("frob ERROR nothing") is None
    assert FROB.error("other ERROR the net fell") is None


def test_answer_stands_before_the_message() -> None:
    assert FROB.error("frob ERROR net: Permission denied") == (
        "frob: the net: it has no permission: net: Permission denied"
    )
    assert "it was told 7: " in (FROB.error("frob ERROR net seven") or "")
    refused = "frob ERROR net: api error AccessDeniedException: no"
    assert "denied" in (FROB.error(refused) or "").partition(": net: api")[0]


def test_errors_of_healthy_nodes_are_harmless() -> None:
    assert FROB.is_harmless("frob ERROR the net fell as usual")
    assert not FROB.is_harmless("frob ERROR the net fell")
    assert not FROB.is_harmless("other fell as usual")


def test_error_counts_only_at_the_end_of_a_log() -> None:
    error = "2026-11-03 12:40:12.7541 ERROR [amazon-ssm-agent] Failed to load the worker"
    other = "2026-11-03 12:40:13.0000 INFO [amazon-ssm-agent] works"
    assert [f.signature for f in findings(*of_log(error))] == ["statement"]
    assert findings(*of_log("\n".join((error, *(other,) * 4)))) == ()


def test_log_that_ends_with_a_level_of_error_is_not_without_a_finding() -> None:
    for line in (
        '{"level":"error","ts":"2026-11-03T12:40:12Z","msg":"frob fell"}',
        "2026-11-03 12:40:12.7541 ERROR frob fell",
        "[ERROR] frob fell",
        'ts=2026-11-03T12:40:12Z level=error component=frob err="it fell"',
        '{"error":"it fell","level":"error"}',
        "{'event': 'it fell', 'level': 'error'}",
    ):
        assert [f.signature for f in findings(*of_log(line))] == ["unknown"], line


@pytest.mark.parametrize(
    "line",
    [
        "  level: error",
        "level: error",
        '    "level": "error",',
        "{'version': 1, 'root': {'level': 'ERROR', 'handlers': ['console']}}",
        "settings: log_level=info level=error format=json",
        'time="2026-11-03T12:40:12.838+08:00" level=error msg="loading cgroup for 284682" '
        'error="cgroups: cgroup deleted"',
        'level=error msg="cgroups: cgroup deleted"',
    ],
)
def test_setting_of_a_level_and_a_cgroup_that_is_gone_are_no_errors(line: str) -> None:
    assert findings(*of_log(line)) == ()
