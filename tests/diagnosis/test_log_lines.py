"""Lines of logs: times, hosts, JSON of the node program, and what is over."""

from __future__ import annotations

import datetime as dt
import json

import pytest

from clusterwright.diagnosis import log_lines
from clusterwright.diagnosis.log_lines import time_in
from clusterwright.diagnosis.scheduler import hosts
from tests.diagnosis.made import of_log


def at(*parts: int) -> dt.datetime:
    return dt.datetime(*parts, tzinfo=dt.UTC)  # type: ignore[arg-type,misc]


@pytest.mark.parametrize(
    ("text", "time"),
    [
        ("[2026-11-23T08:00:00.123] error", at(2026, 11, 23, 8, 0, 0, 123000)),
        ("2026-11-23 08:00:00,5 - ERROR", at(2026, 11, 23, 8, 0, 0, 500000)),
        ("2026-11-23T08:00:00+0100 x", at(2026, 11, 23, 7)),
        ("2026-99-23T08:00:00Z x", None),
        ("Nov 23 08:00:00 host x", None),
    ],
)
def test_time(text: str, time: dt.datetime | None) -> None:
    assert time_in(text) == time


def test_prefixes_of_tasks_and_colours_are_removed_and_hosts_kept() -> None:
    (line,) = of_log("12: \x1b[31mNov 23 08:00:00 ip-10-0-1-7.ec2.internal kernel: x\x1b[0m")
    assert (line.text, line.node) == (
        "Nov 23 08:00:00 ip-10-0-1-7.ec2.internal kernel: x",
        "ip-10-0-1-7",
    )
    assert line.id == "stream:1"


def test_failed_step_of_the_node_program_is_a_failure_until_it_succeeds() -> None:
    def end(status: str, **more: str) -> str:
        return json.dumps({"event": "end", "step": "lustre", "status": status, **more})

    (line,) = of_log(end("failed", error="not mounted", node="workers-1"))
    assert (line.text, line.failed, line.node) == (
        "step lustre failed: not mounted",
        True,
        "workers-1",
    )
    assert of_log(end("failed", error="x") + "\n" + end("applied")) == ()


def test_success_ends_what_was_before_it() -> None:
    assert of_log("mount.lustre: failed\nclusterwright: workers-1 is ready") == ()
    waited = "slurmd: error: fetch_config: DNS SRV lookup failed"
    assert of_log(f"{waited}\nslurmd: slurmd started on Mon, 23 Nov 2026") == ()
    assert [line.text for line in of_log(waited)] == [waited]
    evicted = "LustreError: This client was evicted by fsx-MDT0000"
    kept = of_log(f"{evicted}\nNo space left on device\nLustre: Connection restored to fsx")
    assert [line.text for line in kept] == ["No space left on device"]


def test_json_of_other_programs_is_read_as_its_texts() -> None:
    (line,) = of_log('{"level": "error", "detail": {"msg": "disk full"}, "time": "x"}')
    assert line.text == "level: error msg: disk full"
    assert of_log("{not json")[0].text == "{not json"
    deep = '{"a":' + "[" * 1990
    assert of_log(deep)[0].text == deep


def test_node_that_answers_again_is_over_and_another_is_not() -> None:
    lines = of_log(
        "error: Nodes w-[3-4] not responding, setting DOWN\n"
        "error: Nodes w-5 not responding, setting DOWN\nNode w-4 now responding\n"
    )
    assert [line.text for line in lines] == ["error: Nodes w-5 not responding, setting DOWN"]


def test_start_of_a_node_is_over_when_it_becomes_ready() -> None:
    waits = "0/4 nodes are available: 4 node(s) had untolerated taint {node.kubernetes.io/not-ready: }."
    network = "Container runtime network not ready: cni plugin not initialized"
    ready = "Fast updating node status as it just became ready"
    assert of_log(f"{waits}\n{network}\n{ready}") == ()
    assert [line.text for line in of_log(f"{ready}\n{waits}\n{network}")] == [waits, network]


def test_a_report_is_looked_at_once_however_many_nodes_answer_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    read: list[str] = []

    def counted(text: str) -> tuple[str, ...]:
        read.append(text)
        return hosts(text)

    monkeypatch.setattr(log_lines, "hosts", counted)
    down = "error: Nodes w-[3-4] not responding\n"
    lines = of_log((down + "Node x-1 now responding\n") * 20)
    assert (len(lines), len(read)) == (20, 20)
    assert of_log(down * 3 + "Node w-3 now responding\n") == ()


def test_code_of_a_frame_that_raises_is_no_evidence() -> None:
    log = """Traceback (most recent call last):
  File "/opt/a.py", line 9, in read
    raise RuntimeError(f"Missing key in checkpoint state_dict: {name}.")
RuntimeError: Missing key in checkpoint state_dict: a."""
    assert not any("{name}" in item.text for item in of_log(log))
    assert of_log(log)[-1].fields["exception"] == "RuntimeError"
