"""Rows of Slurm's accounting database, and commands that change it."""

from __future__ import annotations

import pytest
from clusterwright_node import sacct
from clusterwright_node.errors import StepError

from tests.nodes.stub_node import stub_node

SHOW = "sacctmgr --noheader --parsable2 show account"


def test_rows_are_split_at_bars() -> None:
    node = stub_node({SHOW: "research|10|\n\nroot|1|x\n"})
    assert sacct.rows(node, "account") == [["research", "10", ""], ["root", "1", "x"]]


def test_a_database_that_does_not_answer_has_no_rows() -> None:
    assert sacct.rows(stub_node({SHOW: (1, "connection refused")}), "account") is None


def test_an_image_without_sacctmgr() -> None:
    with pytest.raises(StepError, match="the image has no sacctmgr"):
        sacct.rows(stub_node(), "account")


def test_commands() -> None:
    assert sacct.add("user", "ada", "account=research") == (
        *("sacctmgr", "--immediate", "add", "user", "ada", "account=research"),
    )
    assert sacct.modify("user", ["name=ada"], ["fairshare=2"]) == (
        *("sacctmgr", "--immediate", "modify", "user"),
        *("where", "name=ada", "set", "fairshare=2"),
    )


@pytest.mark.parametrize(
    ("text", "limit"),
    [("cpu=4,node=12", 12), ("node=3", 3), ("cpu=4", sacct.NO_LIMIT), ("", sacct.NO_LIMIT)],
)
def test_limits_of_nodes(text: str, limit: int) -> None:
    assert sacct.node_limit(text) == limit


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("1-02:03:04", 93_784),
        ("02:03:04", 7_384),
        ("03:04", 184),
        ("", sacct.NO_LIMIT),
        ("UNLIMITED", sacct.NO_LIMIT),
    ],
)
def test_times(text: str, seconds: int) -> None:
    assert sacct.seconds(text) == seconds


def test_lists() -> None:
    assert sacct.names("a,b,,a") == {"a", "b"}
    assert sacct.names("") == set()
