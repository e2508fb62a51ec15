"""The step that mounts buckets read-only."""

from __future__ import annotations

from collections.abc import Callable

from tests.nodes.world import World

UNIT = "clusterwright-s3-mnt-corpus.service"


def test_bucket_is_mounted_read_only_by_a_unit(world: Callable[..., World]) -> None:
    node = world("workers-1")
    assert node.run().statuses()["mountpoint_s3"] == "applied"
    text = (node.root / "etc/systemd/system" / UNIT).read_text()
    assert (
        "ExecStart=/usr/bin/mount-s3 acme-corpus /mnt/corpus --read-only --allow-other"
        " --region us-east-1 --prefix 'tokens/'\n" in text
    )
    mount = next(row for row in node.state["mounts"] if row["target"] == "/mnt/corpus")
    assert mount["options"] == "ro"


def test_changed_prefix_is_remounted(world: Callable[..., World]) -> None:
    node = world("workers-1")
    node.run()
    node.edit("cluster.json", lambda c: c["mountpoints"][0].update(prefix="p%/"))
    run = node.run()
    assert run.statuses()["mountpoint_s3"] == "applied"
    verbs = [argv[1] for argv in run.machine.ran if argv[0] == "systemctl" and UNIT in argv]
    assert verbs.index("stop") < verbs.index("start")
    assert "--prefix 'p%%/'" in (node.root / "etc/systemd/system" / UNIT).read_text()


def test_image_without_mount_s3_fails_with_the_reason(world: Callable[..., World]) -> None:
    node = world("workers-1")
    (node.root / "usr/bin/mount-s3").unlink()
    run = node.run()
    assert run.code == 1
    assert "the image has no mount-s3 (searched: /usr/bin/mount-s3" in run.last
    assert "installation on the node is not supported" in run.last


def test_other_mount_at_the_path_is_refused(world: Callable[..., World]) -> None:
    node = world("workers-1")
    mount = {"target": "/mnt/corpus", "source": "/dev/sdb", "fstype": "ext4", "options": "ro"}
    node.change(mounts=[*node.state["mounts"], mount])
    assert "/dev/sdb (ext4) is mounted at /mnt/corpus, not a bucket" in node.run().last


def test_step_is_skipped_without_mountpoints(world: Callable[..., World]) -> None:
    node = world("workers-1")
    node.edit("cluster.json", lambda c: c.update(mountpoints=[]))
    (node.root / "usr/bin/mount-s3").unlink()
    assert node.run().statuses()["mountpoint_s3"] == "skipped"


def test_manually_removed_mount_is_restored(world: Callable[..., World]) -> None:
    node = world("workers-1")
    node.run()
    node.change(mounts=[row for row in node.state["mounts"] if row["target"] != "/mnt/corpus"])
    assert node.run().statuses()["mountpoint_s3"] == "applied"
