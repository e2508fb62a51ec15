"""Xid codes and the node program's verdict table."""

from __future__ import annotations

from importlib import resources
from pathlib import Path

from clusterwright.diagnosis import xid

NODE_PROGRAM = Path(__file__).parents[2] / "lifecycle_scripts/clusterwright_common"


def test_table_is_that_of_the_node_program() -> None:
    ours = resources.files("clusterwright.diagnosis") / "data" / "xid_verdicts.json"
    assert ours.read_text() == (NODE_PROGRAM / "xid_verdicts.json").read_text()


def test_code_of_every_bucket_has_a_cause_or_none() -> None:
    silent = {"ignore", "workflow_45"}
    for name, codes in xid.table()["codes"].items():
        for code in codes:
            assert (xid.cause({"code": str(code)}) is None) == (name in silent), code


def test_recovery_action_is_read_from_the_message() -> None:
    def said(text: str) -> dict[str, str]:
        return {
            "code": "154",
            "rest": f" GPU recovery action changed from 0x0 (None) to 0x1 ({text})",
        }

    assert xid.action(said("GPU Reset Required")) == "reboot"
    assert xid.cause(said("None")) is None
    assert "Drain P2P" in str(xid.cause(said("Drain P2P")))


def test_switch_messages_matter_when_they_are_fatal() -> None:
    assert xid.switch_cause({"code": "1", "fatal": "Non-fatal"}) is None
    assert "replace" in str(xid.switch_cause({"code": "1", "fatal": "Fatal"}))
