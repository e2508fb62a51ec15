"""The step that installs Enroot and Pyxis from the artefacts."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from typing import Any

import pytest
from clusterwright_node.steps.container_programs import BUILD, LIBRARY_PATH, RECORD, STEP

from tests.nodes.world import World, mirror_containers


@pytest.fixture
def node(world: Callable[..., World]) -> World:
    made = world("workers-1")
    mirror_containers(made)
    return made


def library(node: World) -> str:
    return (node.root / LIBRARY_PATH.lstrip("/")).read_text()


def installs(run: Any) -> list[tuple[str, ...]]:
    return [argv for argv in run.machine.ran if "--install" in argv]


def test_packages_are_installed_and_pyxis_is_compiled(node: World) -> None:
    run = node.run()
    assert run.statuses()[STEP] == "applied", run.text
    assert {name: row["status"] for name, row in node.state["packages"].items()} == {
        "enroot": "installed",
        "enroot+caps": "installed",
    }
    assert library(node) == "the source of pyxis for slurm 25.11.0"
    assert run.statuses()["containers"] == "unchanged"
    assert not (node.root / BUILD.lstrip("/")).exists()


def test_packages_are_installed_by_dpkg(node: World) -> None:
    (argv,) = installs(node.run())
    assert argv[2:4] == ("dpkg", "--install")
    assert [word for word in argv if "://" in word] == []
    assert all(word.endswith(".deb") for word in argv[4:])


def test_lock_of_dpkg_is_awaited(node: World) -> None:
    busy = "dpkg: error: dpkg frontend lock was locked by another process with pid 99"
    node.change(dpkg_errors=[busy] * 3)
    run = node.run()
    assert run.code == 0, run.last
    assert len(installs(run)) == 2, "the other tries ended before it"


def test_controller_loads_the_installed_plugin(world: Callable[..., World]) -> None:
    node = world("controller-1")
    mirror_containers(node)
    assert node.run().code == 0
    plugstack = (node.root / "opt/slurm/etc/plugstack.conf").read_text()
    assert plugstack == "include /etc/clusterwright/plugstack.d/*.conf\n"
    included = (node.root / "etc/clusterwright/plugstack.d/pyxis.conf").read_text()
    assert f"required {LIBRARY_PATH}\n" in included


def test_second_run_changes_nothing(node: World) -> None:
    assert node.run().code == 0
    run = node.run()
    assert run.statuses()[STEP] == "unchanged"
    assert installs(run) == []


def test_another_slurm_version_recompiles_the_plugin(node: World) -> None:
    assert node.run().code == 0
    node.change(slurm_version="slurm 26.05.1")
    run = node.run()
    assert run.statuses()[STEP] == "applied"
    assert library(node).endswith("slurm 26.05.1")
    assert installs(run) == [], "the packages are right"


def test_changed_plugin_is_compiled_again(node: World) -> None:
    assert node.run().code == 0
    (node.root / LIBRARY_PATH.lstrip("/")).write_text("something else")
    assert node.run().statuses()[STEP] == "applied"
    assert library(node).startswith("the source of pyxis")
    record = json.loads((node.root / RECORD.lstrip("/")).read_text())
    assert record["slurm"] == "slurm 25.11.0"


def test_partially_installed_packages_are_completed(
    world: Callable[..., World],
) -> None:
    made = [world("workers-1") for _ in range(2)]
    for each in made:
        mirror_containers(each)
    points = made[0].run().machine.points
    at = [number for number, label in enumerate(points) if label == "within dpkg --install"][-1]
    victim = made[1]
    assert victim.run_and_be_killed(at)
    assert {row["status"] for row in victim.state["packages"].values()} == {"unpacked"}
    run = victim.run()
    assert run.code == 0, run.last
    configured = [
        argv for argv in run.machine.ran if argv[2:] == ("dpkg", "--configure", "--pending")
    ]
    assert len(configured) == 1
    assert {row["status"] for row in victim.state["packages"].values()} == {"installed"}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"missing_commands": ["cc"]}, "the image has no cc"),
        ({"missing_commands": ["make"]}, "the image has no make"),
        ({"missing_commands": ["dpkg-deb"]}, "the image has no dpkg"),
        (
            {"dpkg_errors": ["enroot depends on parallel; however: Package is not installed."]},
            "enroot depends on parallel; however: Package is not installed. What to do: nothing is"
            " downloaded here",
        ),
    ],
)
def test_missing_tools_of_the_image_are_reported(
    node: World, change: dict[str, Any], said: str
) -> None:
    node.change(**change)
    run = node.run()
    assert run.code == 1
    assert f"step {STEP} failed on workers-1" in run.last
    assert said in run.last


def test_compiler_output_is_reported(node: World) -> None:
    files = json.loads((node.folder / "inputs" / "cluster.json").read_text())["artefacts"]["files"]
    text = "broken source here!"
    assert len(text) == files[2]["size_bytes"]
    digest = hashlib.sha256(text.encode()).hexdigest()
    node.edit("cluster.json", lambda c: c["artefacts"]["files"][2].update(sha256=digest))
    objects = node.state["objects"]
    objects[f"sagemaker-prod-0123abcd/artefacts/{digest}/v0.19.0.tar.gz"] = text
    node.change(objects=objects)
    assert "slurm/spank.h: No such file or directory" in node.run().last


def test_list_without_pyxis_is_refused(node: World) -> None:
    node.edit("cluster.json", lambda c: c["artefacts"]["files"].pop())
    assert "the list of artefacts has no pyxis for x86_64" in node.run().last


def test_unknown_file_type_is_refused(node: World) -> None:
    node.edit("cluster.json", lambda c: c["artefacts"]["files"][2].update(name="other"))
    assert "has no pyxis" in node.run().last
    node.edit("cluster.json", lambda c: c["artefacts"]["files"][0].update(file="enroot.rpm"))
    node.edit("cluster.json", lambda c: c["artefacts"]["files"][2].update(name="pyxis"))
    objects = {k.replace("enroot_3.4.1-1_amd64.deb", "enroot.rpm"): v
               for k, v in node.state["objects"].items()}  # fmt: skip
    node.change(objects=objects)
    assert "this step does not support enroot.rpm" in node.run().last


def test_included_programs_are_not_changed(world: Callable[..., World]) -> None:
    run = world("workers-1").run()
    assert run.statuses()[STEP] == "skipped"
    assert installs(run) == []
