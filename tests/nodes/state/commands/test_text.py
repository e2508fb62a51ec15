"""The answers of the commands as text."""

from __future__ import annotations

from clusterwright_state.commands import text

HEAD = {"command": "node", "environment": "prod", "exit_code": 0}


def test_columns_are_padded() -> None:
    assert text.columns([("a", "bc"), ("def", "g")]) == ["  a    bc", "  def  g"]
    assert text.columns([]) == []


def test_unknown_parts_have_their_hints() -> None:
    part = {"what": "the run", "reason": "no answer", "hint": "look", "iam_action": None}
    shown = text.text({**HEAD, "nodes": [], "unknown": [part]})
    assert shown.splitlines() == [
        "prod, node on this node",
        "unknown: the run: no answer",
        "  hint: look",
    ]


def test_control_characters_are_replaced() -> None:
    row = {"name": "n1", "outcome": "refused", "reason": "a\x1b[2J\nb"}
    assert text.text({**HEAD, "nodes": [row]}).splitlines()[1] == "  n1  refused  a?[2J?b"


def test_a_plan_names_the_jobs() -> None:
    rows = [{"name": "n1", "group": None, "states": ["IDLE"]}]
    job = {"id": "7", "name": "train", "user": "ada", "nodes": 2}
    lines = text.plan_lines("drain", rows, ["running jobs go on"], [job])
    assert lines[0] == "drain 1 node"
    assert "Running jobs on the nodes go on: 7 (train, ada)." in lines
    assert "No job runs on the nodes." in text.plan_lines("drain", rows, [], [])
