"""The step that gives users of a node the credentials of the role for jobs."""

from __future__ import annotations

from collections.abc import Callable

from clusterwright_node.steps import job_credentials

from tests.nodes.world import World

ROLE = "arn:aws:iam::111122223333:role/prod-us-east-1-jobs"
UNIT = f"etc/systemd/system/{job_credentials.UNIT}"
PROFILE = job_credentials.PROFILE.lstrip("/")


def test_every_node_serves_them(world: Callable[..., World]) -> None:
    for name in ("controller-1", "login-1", "workers-1"):
        node = world(name)
        node.edit("cluster.json", lambda c: c.update(job_role_arn=ROLE))
        run = node.run(only=["job_credentials"])
        assert run.statuses()["job_credentials"] == "applied", run.text
        unit = (node.root / UNIT).read_text()
        assert f"--role-arn={ROLE} --session-name=i-" in unit
        assert "--region=us-east-1" in unit
        assert "User=" not in unit, "only root reaches the node's role and the port"
        assert (node.root / PROFILE).read_text().splitlines()[-1] == (
            "export AWS_CONTAINER_CREDENTIALS_FULL_URI=http://127.0.0.1:579/job-role"
        )
        assert node.state["units"][job_credentials.UNIT]["active"]
        assert node.run(only=["job_credentials"]).statuses()["job_credentials"] == "unchanged"


def test_a_changed_role_restarts_the_service(world: Callable[..., World]) -> None:
    node = world("workers-1")
    node.edit("cluster.json", lambda c: c.update(job_role_arn=ROLE))
    node.run(only=["job_credentials"])
    node.edit("cluster.json", lambda c: c.update(job_role_arn=ROLE + "2"))
    run = node.run(only=["job_credentials"])
    assert ("systemctl", "stop", job_credentials.UNIT) in run.machine.ran
    assert f"--role-arn={ROLE}2 " in (node.root / UNIT).read_text()


def test_jobs_without_anything_on_aws_get_none(world: Callable[..., World]) -> None:
    node = world("workers-1")
    node.edit("cluster.json", lambda c: c.update(job_role_arn=None))
    run = node.run(only=["job_credentials"])
    assert "no buckets and no images" in run.end_of("job_credentials")["hint"]
    assert not (node.root / PROFILE).exists()
