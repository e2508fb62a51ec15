"""The step that writes the message of the day."""

from __future__ import annotations

from collections.abc import Callable

from tests.nodes.world import World

MOTD = "etc/motd.d/50-clusterwright"


def test_message_describes_the_node(world: Callable[..., World]) -> None:
    node = world("workers-1")
    node.edit("deployment.json", lambda d: d.update(log_group_name="/acme/nodes"))
    node.run()
    assert (node.root / MOTD).read_text() == (
        "cluster      prod in us-east-1\n"
        "node         workers-1 (i-0b000000000000001), compute of group workers\n"
        "instance     p5.48xlarge, 8 nvidia devices\n"
        "partition    train\n"
        "lustre       /fsx\n"
        "home         /home (shared)\n"
        "scratch      /opt/dlami/nvme (local, lost with the instance)\n"
        "s3           /mnt/corpus (read-only, s3://acme-corpus/tokens/)\n"
        "checkpoints  /fsx/checkpoints\n"
        "software     Slurm 25.11.0\n"
        "log          /var/log/clusterwright/node.jsonl\n"
        "log group    /acme/nodes\n"
    )


def test_step_is_last_and_missing_after_a_failure(world: Callable[..., World]) -> None:
    node = world("workers-1", efa_moves=[0])
    run = node.run()
    assert run.code == 1
    assert not (node.root / MOTD).exists(), "a node that is not ready does not say that it is"


def test_changed_spec_changes_the_message(world: Callable[..., World]) -> None:
    node = world("workers-1")
    node.run()
    node.edit("cluster.json", lambda c: c.update(checkpoint_path="/fsx/other"))
    assert node.run().statuses()["motd"] == "applied"
    assert "/fsx/other" in (node.root / MOTD).read_text()
