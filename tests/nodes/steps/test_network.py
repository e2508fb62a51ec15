"""The step that waits for names to resolve."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.nodes.world import Run, World

LUSTRE = "fs-0123456789abcdef0.fsx.us-east-1.amazonaws.com"
DATABASE = "prod-accounting.example.us-east-1.rds.amazonaws.com"


def asked(run: Run) -> list[str]:
    return [argv[2] for argv in run.machine.ran if argv[:2] == ("getent", "ahosts")]


def test_every_required_name_is_resolved(world: Callable[..., World]) -> None:
    assert asked(world("workers-1").run()) == [
        "s3.us-east-1.amazonaws.com",
        "acme-shuffle--use1-az6--x-s3.s3express-use1-az6.us-east-1.amazonaws.com",
        LUSTRE,
        "fs-0fedcba9876543210.fsx.us-east-1.amazonaws.com",
    ]
    assert DATABASE in asked(world("controller-1").run())


def test_late_name_is_awaited(world: Callable[..., World]) -> None:
    event = {"at": 30, "path": ["unresolved"], "value": []}
    run = world("workers-1", unresolved=[LUSTRE], events=[event]).run()
    assert run.statuses()["network"] == "applied"
    assert run.end_of("network")["seconds"] == 30


def test_unresolved_names_are_all_listed(world: Callable[..., World]) -> None:
    run = world("controller-1", unresolved=[LUSTRE, DATABASE]).run()
    assert run.code == 1
    assert f"not done after 180 s: no address for {LUSTRE}, {DATABASE}" in run.last
    assert "enableDnsSupport" in run.last


@pytest.mark.parametrize(
    ("region", "name"),
    [
        ("cn-north-1", "s3.cn-north-1.amazonaws.com.cn"),
        ("us-gov-west-1", "s3.us-gov-west-1.amazonaws.com"),
    ],
)
def test_other_partitions_have_their_domain(
    world: Callable[..., World], region: str, name: str
) -> None:
    node = world("login-1")
    node.edit("cluster.json", lambda c: c.update(region=region, directory_buckets=[]))
    assert name in asked(node.run())


def test_region_with_an_unknown_domain_is_refused(world: Callable[..., World]) -> None:
    node = world("login-1")
    node.edit("cluster.json", lambda c: c.update(region="us-iso-east-1"))
    assert "the DNS suffix of us-iso-east-1 is unknown" in node.run().last
