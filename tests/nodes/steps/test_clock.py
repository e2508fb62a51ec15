"""The step that waits for the clock."""

from __future__ import annotations

from collections.abc import Callable

from tests.nodes.world import World


def test_synchronised_clock_is_not_changed(world: Callable[..., World]) -> None:
    run = world("login-1").run()
    assert run.statuses()["clock"] == "unchanged"
    assert not [
        argv
        for argv in run.machine.ran
        if argv[:2] == ("systemctl", "start") and "chrony" in argv[2]
    ]


def test_chrony_is_started_and_awaited(world: Callable[..., World]) -> None:
    node = world("login-1", clock_ok=False)
    run = node.run()
    assert run.statuses()["clock"] == "applied"
    unit = node.state["units"]["chrony.service"]
    assert (unit["active"], unit["enabled"]) == (True, True)


def test_running_chrony_is_awaited(world: Callable[..., World]) -> None:
    running = {"chrony.service": {"active": True, "enabled": True, "loaded": None}}
    event = {"at": 40, "path": ["clock_ok"], "value": True}
    run = world("login-1", clock_ok=False, units=running, events=[event]).run()
    assert run.statuses()["clock"] == "applied"
    assert run.end_of("clock")["seconds"] == 40


def test_unsynchronised_clock_fails_at_the_deadline(
    world: Callable[..., World],
) -> None:
    running = {"chrony.service": {"active": True, "enabled": True, "loaded": None}}
    run = world("login-1", clock_ok=False, units=running).run()
    assert run.code == 1
    assert "not done after 180 s: chrony reports that the clock is not synchronised" in run.last
    assert "169.254.169.123" in run.last


def test_timedatectl_is_used_without_chrony(world: Callable[..., World]) -> None:
    run = world("login-1", missing_commands=["chronyc"]).run()
    assert run.statuses()["clock"] == "unchanged"
    assert any(argv[0] == "timedatectl" for argv in run.machine.ran)


def test_missing_chrony_and_timedatectl_fail(world: Callable[..., World]) -> None:
    run = world("login-1", missing_commands=["chronyc", "timedatectl"]).run()
    assert "neither chronyc nor timedatectl" in run.last


def test_an_image_without_a_time_service_fails(world: Callable[..., World]) -> None:
    run = world("login-1", clock_ok=False, image_units={}).run()
    assert "the image has none of chrony.service, chronyd.service" in run.last
