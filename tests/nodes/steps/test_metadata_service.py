"""The step that keeps users from the instance metadata service, and so from the node's role."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from clusterwright_node.steps import metadata_service

from tests.nodes.world import World

RULES = metadata_service.RULES.lstrip("/")
UNIT = f"etc/systemd/system/{metadata_service.UNIT}"


def with_accounts(node: World, **uids: int) -> World:
    accounts = node.state["passwd"]
    for name, uid in uids.items():
        accounts[name.replace("_", "-")] = {"gid": uid, "home": "/", "id": uid}
    node.change(passwd=accounts)
    return node


@pytest.mark.parametrize("configuration", ["managed", "scripted"])
@pytest.mark.parametrize("name", ["controller-1", "login-1", "workers-1"])
def test_every_node_of_hyperpod_restricts_it(
    world: Callable[..., World], name: str, configuration: str
) -> None:
    node = world(name, configuration)
    run = node.run(only=["metadata_service"])
    assert run.statuses()["metadata_service"] == "applied", run.text
    rules = node.state["packet_filter"][metadata_service.TABLE]
    for address in ("ip daddr 169.254.169.254", "ip6 daddr fd00:ec2::254"):
        assert f"{address} meta skuid {{ 0 }} accept\n" in rules
        assert f"{address} meta l4proto tcp reject with tcp reset\n" in rules
        # UDP of this node, and everything of containers with a network of their own.
        assert rules.count(f"{address} drop\n") == 2


def test_no_job_runs_before_it() -> None:
    from clusterwright_node.catalogue import load_steps

    order = [step.name for step in load_steps()]
    assert order.index("metadata_service") < order.index("slurm_daemons")


def test_agents_of_aws_and_named_accounts_are_admitted(world: Callable[..., World]) -> None:
    node = with_accounts(world("workers-1"), cwagent=997, dd_agent=996, ec2_instance_connect=995)
    node.edit(
        "cluster.json",
        lambda c: c["slurm"].update(metadata_service_users=["dd-agent", "not-on-this-image"]),
    )
    node.run(only=["metadata_service"])
    assert "skuid { 0, 995, 996, 997 } accept" in (node.root / RULES).read_text()


@pytest.mark.parametrize(("name", "uid"), [("ubuntu", 1000), ("ada", 5001), ("nobody", 65534)])
def test_the_account_of_a_person_is_refused(
    world: Callable[..., World], name: str, uid: int
) -> None:
    node = with_accounts(world("workers-1"), **{name: uid})
    node.edit("cluster.json", lambda c: c["slurm"].update(metadata_service_users=[name]))
    run = node.run(only=["metadata_service"])
    assert run.code == 1
    assert f"{name} has the uid {uid}: it is not the account of a service" in run.last


def test_the_rules_come_back_after_a_reboot_before_the_network(
    world: Callable[..., World],
) -> None:
    node = world("workers-1")
    run = node.run(only=["metadata_service"])
    unit = (node.root / UNIT).read_text()
    assert "Before=network-pre.target" in unit
    assert "WantedBy=multi-user.target" in unit
    run.machine.reboot()
    assert node.state["packet_filter"]
    assert node.run(only=["metadata_service"]).statuses()["metadata_service"] == "unchanged"


def test_rules_that_something_removed_are_installed_again(world: Callable[..., World]) -> None:
    node = world("workers-1")
    node.run(only=["metadata_service"])
    node.change(packet_filter={})
    assert node.run(only=["metadata_service"]).statuses()["metadata_service"] == "applied"
    assert node.state["packet_filter"]


def test_a_changed_list_replaces_the_rules(world: Callable[..., World]) -> None:
    node = with_accounts(world("workers-1"), dd_agent=996)
    node.run(only=["metadata_service"])
    node.edit("cluster.json", lambda c: c["slurm"].update(metadata_service_users=["dd-agent"]))
    run = node.run(only=["metadata_service"])
    assert run.statuses()["metadata_service"] == "applied"
    assert "{ 0, 996 }" in node.state["packet_filter"][metadata_service.TABLE]


def test_without_nftables_iptables_does_it(world: Callable[..., World]) -> None:
    node = world("workers-1", missing_commands=["nft"])
    run = node.run(only=["metadata_service"])
    assert run.statuses()["metadata_service"] == "applied", run.text
    assert node.state["packet_filter"] == {
        "iptables": (
            "OUTPUT -d 169.254.169.254 -j CLUSTERWRIGHT-METADATA\n"
            "FORWARD -t mangle -d 169.254.169.254 -j DROP\n"
        ),
        "ip6tables": (
            "OUTPUT -d fd00:ec2::254 -j CLUSTERWRIGHT-METADATA\n"
            "FORWARD -t mangle -d fd00:ec2::254 -j DROP\n"
        ),
    }
    chain = (node.root / "etc/clusterwright/metadata-service.iptables").read_text()
    assert "-A CLUSTERWRIGHT-METADATA -m owner --uid-owner 0 -j RETURN\n" in chain
    assert chain.endswith(
        "-A CLUSTERWRIGHT-METADATA -p tcp -j REJECT --reject-with tcp-reset\n"
        "-A CLUSTERWRIGHT-METADATA -j DROP\nCOMMIT\n"
    )
    node.change(packet_filter={})
    assert node.run(only=["metadata_service"]).statuses()["metadata_service"] == "applied"


def test_an_image_that_can_filter_nothing_is_refused(world: Callable[..., World]) -> None:
    """Rather no node than one on which every user has the node's role."""
    node = world("workers-1", missing_commands=["nft", "iptables", "ip6tables"])
    run = node.run(only=["metadata_service"])
    assert run.code == 1
    assert "the image has neither nft nor iptables" in run.last


def test_parallelcluster_has_a_setting_for_it(world: Callable[..., World]) -> None:
    run = world("workers-1", "parallelcluster").run()
    assert "Imds: Secured" in run.end_of("metadata_service")["hint"]
