"""The step that creates users and groups with fixed ids."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.nodes.world import World


def add_bob(cluster: dict[str, Any]) -> None:
    cluster["users"].append(dict(cluster["users"][0], name="bob", uid=5002, gid=5000, groups=[]))


def test_users_and_groups_have_the_ids_of_the_spec(world: Callable[..., World]) -> None:
    node = world("login-1")
    node.edit("cluster.json", add_bob)
    assert node.run().statuses()["users"] == "applied"
    state = node.state
    assert state["passwd"]["ada"] == {"id": 5001, "gid": 5001, "home": "/home/ada"}
    assert state["passwd"]["bob"] == {"id": 5002, "gid": 5000, "home": "/home/bob"}
    assert state["group"]["ada"]["id"] == 5001, "a private group with the user's name"
    assert state["group"]["research"] == {"id": 5000, "members": ["ada"]}
    assert "bob" not in state["group"], "the primary group is research"


@pytest.mark.parametrize(
    ("table", "name", "entry", "said"),
    [
        ("passwd", "old", {"id": 5001, "gid": 1, "home": "/"}, "UID 5001 of user ada belongs to"),
        ("passwd", "ada", {"id": 4000, "gid": 1, "home": "/"}, "user ada has UID 4000, expected"),
        ("group", "old", {"id": 5000, "members": []}, "GID 5000 of group research belongs to"),
        (
            "group",
            "research",
            {"id": 4000, "members": []},
            "group research has GID 4000, expected",
        ),
    ],
)
def test_id_of_another_name_is_an_error(
    world: Callable[..., World], table: str, name: str, entry: dict[str, Any], said: str
) -> None:
    node = world("login-1")
    before = node.state[table]
    before[name] = entry
    node.change(**{table: before})
    run = node.run()
    assert run.code == 1
    assert said in run.last
    assert node.state[table] == before, "nothing was changed"


def test_all_conflicts_are_reported_at_once(world: Callable[..., World]) -> None:
    node = world("login-1")
    state = node.state
    state["passwd"]["old"] = {"id": 5001, "gid": 1, "home": "/"}
    state["group"]["research"] = {"id": 4000, "members": []}
    node.change(passwd=state["passwd"], group=state["group"])
    last = node.run().last
    assert "UID 5001" in last
    assert "GID 4000" in last


def test_changed_membership_and_home_are_corrected(world: Callable[..., World]) -> None:
    node = world("login-1")
    node.run()
    state = node.state
    state["passwd"]["ada"]["home"] = "/elsewhere"
    state["group"]["research"]["members"] = []
    node.change(passwd=state["passwd"], group=state["group"])
    assert node.run().statuses()["users"] == "applied"
    assert node.state["passwd"]["ada"]["home"] == "/home/ada"
    assert node.state["group"]["research"]["members"] == ["ada"]


def test_removed_membership_is_revoked(world: Callable[..., World]) -> None:
    node = world("login-1")
    node.run()
    state = node.state
    state["group"]["ubuntu"]["members"] = ["ada"]
    node.change(group=state["group"])
    node.edit("cluster.json", lambda c: c["users"][0].update(groups=[]))
    assert node.run().statuses()["users"] == "applied"
    assert node.state["group"]["research"]["members"] == []
    assert node.state["group"]["ubuntu"]["members"] == ["ada"], "the image's own groups stay"


def test_lock_of_a_package_manager_is_awaited(world: Callable[..., World]) -> None:
    node = world("login-1", passwd_locked_for=4)
    run = node.run()
    assert run.statuses()["users"] == "applied"
    assert any("cannot lock" in text for text in run.notices())


def test_permanent_lock_fails_with_the_output_of_the_command(world: Callable[..., World]) -> None:
    run = world("login-1", passwd_locked_for=10**6).run()
    assert run.code == 1
    assert "cannot lock /etc/group; try again later" in run.last


def test_step_is_skipped_without_users(world: Callable[..., World]) -> None:
    node = world("login-1")
    node.edit("cluster.json", lambda c: c.update(users=[], user_groups=[]))
    assert node.run().statuses()["users"] == "skipped"
