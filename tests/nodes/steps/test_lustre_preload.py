"""The step that starts the restoration of files from S3 to Lustre."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from tests.nodes.world import World

UNIT = "etc/systemd/system/clusterwright-preload-fsx.service"
STATUS = "var/lib/clusterwright/preload-fsx.json"


def asked(node: World, *paths: str) -> World:
    node.edit("cluster.json", lambda c: c["lustre"][0].update(preload=list(paths)))
    return node


@pytest.mark.parametrize("configuration", ["managed", "scripted"])
def test_service_on_the_controller_restores_the_folders(
    world: Callable[..., World], configuration: str
) -> None:
    node = asked(world("controller-1", configuration), "/fsx/corpus", "/fsx/models")
    run = node.run()
    assert run.statuses()["lustre_preload"] == "applied"
    text = (node.root / UNIT).read_text()
    assert (
        "-m clusterwright_preload --mount=/fsx --path=/fsx/corpus --path=/fsx/models"
        " --status=/var/lib/clusterwright/preload-fsx.json\n"
    ) in text
    assert "Type=oneshot" not in text, "its start would wait until all is loaded"
    assert "RemainAfterExit=yes" in text
    assert node.state["units"]["clusterwright-preload-fsx.service"]["active"]
    assert node.run().statuses()["lustre_preload"] == "unchanged"


def test_changed_folders_replace_the_former_ones(world: Callable[..., World]) -> None:
    node = asked(world("controller-1"), "/fsx/corpus")
    node.run()
    run = asked(node, "/fsx/other").run()
    assert run.statuses()["lustre_preload"] == "applied"
    assert ("systemctl", "stop", "clusterwright-preload-fsx.service") in run.machine.ran
    assert "--path=/fsx/other" in (node.root / UNIT).read_text()


def test_progress_is_reported(world: Callable[..., World]) -> None:
    node = asked(world("controller-1"), "/fsx/corpus")
    node.run()
    status = {"state": "stopped", "files_seen": 9, "files_loaded": 5, "reason": "/fsx is full"}
    (node.root / STATUS).write_text(json.dumps(status))
    said = "preload of /fsx: stopped, 9 files seen, 5 loaded: /fsx is full"
    assert said in node.run().notices()
    (node.root / STATUS).write_text("{")
    assert node.run().code == 0


def test_step_is_skipped_on_other_nodes_and_specs(world: Callable[..., World]) -> None:
    node = asked(world("workers-1"), "/fsx/corpus")
    assert node.run().statuses()["lustre_preload"] == "skipped"
    run = world("controller-1").run()
    assert run.end_of("lustre_preload")["hint"] == "the spec has no preload"


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("corpus", "lustre[0].preload[0]: not an absolute path"),
        ("/fsx/../etc", "lustre[0].preload[0]: not an absolute path"),
        ("/home/ada", "lustre[0].preload: /home/ada is not below /fsx"),
        ("/fsx2", "lustre[0].preload: /fsx2 is not below /fsx"),
    ],
)
def test_folders_outside_the_file_system_are_refused(
    world: Callable[..., World], path: str, said: str
) -> None:
    run = asked(world("controller-1"), path).run()
    assert run.code == 3
    assert said in run.text
