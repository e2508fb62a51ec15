"""The log of a run: whole lines in a file and on standard output."""

from __future__ import annotations

import io
import json
from collections.abc import Callable

from clusterwright_node.catalogue import step_names
from clusterwright_node.log import LOG
from clusterwright_node.main import main

from tests.nodes.fake_machine import FakeMachine
from tests.nodes.world import World


def test_log_file_has_the_same_lines(world: Callable[..., World]) -> None:
    node = world("login-1")
    run = node.run()
    text = (node.root / LOG.lstrip("/")).read_text()
    assert [json.loads(line) for line in text.splitlines()] == run.lines


def test_truncated_line_is_completed(world: Callable[..., World]) -> None:
    node = world("login-1")
    log = node.root / LOG.lstrip("/")
    log.parent.mkdir(parents=True)
    log.write_text('{"event": "sta')
    node.run()
    lines = log.read_text().splitlines()
    assert lines[0] == '{"event": "sta'
    assert json.loads(lines[1])["event"] == "run_start"


def test_unwritable_log_does_not_stop_the_run(world: Callable[..., World]) -> None:
    node = world("login-1")
    (node.root / "var").mkdir()
    (node.root / "var/log").write_text("in the way")
    run = node.run()
    assert run.code == 0
    assert LOG in run.lines[0]["text"]


def test_a_closed_standard_output_does_not_stop_the_run(world: Callable[..., World]) -> None:
    node = world("login-1")
    stream = io.StringIO()
    stream.close()
    machine = FakeMachine(node.folder)
    arguments = ["--configuration", "managed", "--inputs", str(node.folder / "inputs")]
    assert main(arguments, machine=machine, stream=stream, use_alarm=False) == 0
    assert (node.root / LOG.lstrip("/")).read_text().count('"event": "end"') == len(step_names())
