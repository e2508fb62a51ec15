"""The step that installs the controller's service for operators."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.nodes.world import World

UNIT = "etc/systemd/system/clusterwright-state.service"


def test_the_controller_publishes_into_the_bucket_of_the_scripts(
    world: Callable[..., World],
) -> None:
    node = world("controller-1")
    node.edit("cluster.json", lambda c: c.update(state_bucket="sagemaker-prod-00000000"))
    assert node.run().statuses()["cluster_state"] == "applied"
    unit = (node.root / UNIT).read_text()
    assert "-m clusterwright_state --bucket=sagemaker-prod-00000000 --environment=prod" in unit
    assert (node.root / "opt/clusterwright/lib/clusterwright_state/service.py").is_file()
    assert (node.root / "opt/clusterwright/lib/clusterwright_common/probe.py").is_file()
    assert node.run().statuses()["cluster_state"] == "unchanged"


def test_other_nodes_and_clusters_without_a_bucket_publish_nothing(
    world: Callable[..., World],
) -> None:
    worker = world("workers-1")
    worker.edit("cluster.json", lambda c: c.update(state_bucket="sagemaker-prod-00000000"))
    assert worker.run().statuses()["cluster_state"] == "skipped"
    assert not (worker.root / UNIT).exists()


def test_a_changed_program_replaces_the_running_one(world: Callable[..., World]) -> None:
    node = world("controller-1")
    node.edit("cluster.json", lambda c: c.update(state_bucket="sagemaker-prod-00000000"))
    node.run()
    (node.root / "opt/clusterwright/lib/clusterwright_state/bucket.py").write_text("# older\n")
    run = node.run()
    assert run.statuses()["cluster_state"] == "applied"
    assert ("systemctl", "stop", "clusterwright-state.service") in run.machine.ran


def test_the_hold_is_an_option_of_the_service(world: Callable[..., World]) -> None:
    section = {"level": "standard", "hold": True}
    for configuration, options in (
        ("managed", " --hold=standard --every-seconds=10"),
        ("scripted", " --hold=standard --every-seconds=10"),
        ("parallelcluster", " --boot-tests"),
        ("pcs", " --boot-tests"),
    ):
        node = world("login-1" if configuration == "pcs" else "controller-1", configuration)
        changes = {"state_bucket": "sagemaker-prod-00000000", "acceptance": section}
        node.edit("cluster.json", lambda c, changes=changes: c.update(changes))
        node.run()
        unit = (node.root / UNIT).read_text()
        assert ("--hold" in unit) == (configuration in ("managed", "scripted"))
        assert options in unit


@pytest.mark.parametrize("configuration", ["managed", "scripted", "parallelcluster"])
def test_rechecks_are_an_option_of_the_service(
    world: Callable[..., World], configuration: str
) -> None:
    node = world("controller-1", configuration)
    changes = {"state_bucket": "sagemaker-prod-00000000"}
    node.edit("cluster.json", lambda c: c.update(changes))
    node.run()
    assert "--recheck" not in (node.root / UNIT).read_text()
    section = {"level": "standard", "recheck_hours": 168}
    node.edit("cluster.json", lambda c: c.update(acceptance=section))
    node.run()
    assert " --recheck=standard,168" in (node.root / UNIT).read_text()


def test_the_managed_configuration_keeps_spares_by_reservations(
    world: Callable[..., World],
) -> None:
    options = "--keep-spares --spares=workers=2\n"
    for configuration, expected in (("managed", options), ("scripted", "")):
        node = world("controller-1", configuration)
        node.edit("cluster.json", lambda c: c.update(state_bucket="sagemaker-prod-00000000"))
        node.run()
        unit = (node.root / UNIT).read_text()
        assert ("--keep-spares" in unit) == bool(expected)
        assert expected in unit
