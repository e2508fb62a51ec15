"""The step that installs the cluster's munge key."""

from __future__ import annotations

from collections.abc import Callable

from tests.nodes.world import MUNGE_SECRET, World

KEY = "etc/munge/munge.key"


def test_key_is_read_from_the_secret_and_readable_for_munge(world: Callable[..., World]) -> None:
    node = world("workers-1", "scripted")
    run = node.run()
    assert run.statuses()["munge_key"] == "applied"
    key = node.root / KEY
    assert key.read_text() == "k" * 128
    assert key.stat().st_mode & 0o777 == 0o400
    assert run.machine.owner_of("/" + KEY) == (101, 102), "munge's own"
    assert node.state["read_by_daemons"]["/" + KEY] == run.machine.sha256_of("/" + KEY)


def test_munge_with_another_key_is_restarted(world: Callable[..., World]) -> None:
    node = world("workers-1", "scripted")
    node.change(units={"munge.service": {"active": True, "enabled": True, "loaded": None}})
    run = node.run()
    assert ("systemctl", "restart", "munge.service") in run.machine.ran
    names = [argv[2] for argv in run.machine.ran if argv[:2] == ("systemctl", "start")]
    assert "slurmd.service" in names


def test_correct_key_is_not_read_again(world: Callable[..., World]) -> None:
    node = world("workers-1", "scripted")
    assert node.run().code == 0
    node.change(aws_error="AccessDeniedException")
    run = node.run()
    assert run.statuses()["munge_key"] == "unchanged"
    assert not [argv for argv in run.machine.ran if argv[0] == "aws"]


def test_a_changed_key_is_restored(world: Callable[..., World]) -> None:
    node = world("workers-1", "scripted")
    node.run()
    (node.root / KEY).chmod(0o600)
    (node.root / KEY).write_text("other")
    assert node.run().statuses()["munge_key"] == "applied"
    assert (node.root / KEY).read_text() == "k" * 128


def test_denied_secret_is_named_and_not_shown(world: Callable[..., World]) -> None:
    denied = "An error occurred (AccessDeniedException) when calling GetSecretValue"
    run = world("workers-1", "scripted", aws_error=denied).run()
    assert run.code == 1
    assert "step munge_key failed" in run.last
    assert "AccessDeniedException" in run.last
    assert "secretsmanager:GetSecretValue" in run.last
    assert "kkkk" not in run.text


def test_too_short_key_is_refused(world: Callable[..., World]) -> None:
    run = world("workers-1", "scripted", secrets={MUNGE_SECRET: "secret"}).run()
    assert "the munge key's secret has 6 bytes" in run.last
    assert "secret has 6" in run.last
    assert "MUNGE" not in run.text


def test_step_is_skipped_in_managed_mode_and_without_a_secret(world: Callable[..., World]) -> None:
    run = world("workers-1").run()
    assert "HyperPod distributes the key" in run.end_of("munge_key")["hint"]
    node = world("workers-1", "scripted")
    node.edit("deployment.json", lambda d: d.update(munge_key_secret_arn=None))
    assert "the image's key is kept" in node.run().end_of("munge_key")["hint"]
    assert (node.root / KEY).read_text() == "the image's"
