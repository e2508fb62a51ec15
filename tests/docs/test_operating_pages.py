"""The commands of the page about replacing nodes, with a cluster deployed to the local AWS."""

from __future__ import annotations

import importlib
import json
import os
import shlex
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.docs.shown import ROOT, matches, shown_commands
from tests.support.command_line import clusterwright
from tests.support.deployed_cluster import Controller, Deployed, deployed_cluster, node_name
from tests.support.rich_specs import ACCOUNT, MINIMAL, changed
from tests.support.specs import PLAN
from tests.support.synthesis import Assembly

PAGE = ROOT / "docs" / "how-to" / "replace-nodes-before-capacity-ends.md"
FILE = "configs/test.yaml"
NAMES = "$(cat nodes.txt)"
BASE = changed(
    MINIMAL,
    protection="destroy",
    compute__1__count=22,
    compute__1__capacity={"kind": "training-plan", "arn": PLAN},
)


class Operating(Controller):
    """Also publishes the nodes of jobs, and the network tree: two leaves, as Slurm has them."""

    def publish(self) -> None:
        super().publish()
        s3 = self.deployed.account.client("s3")
        place = {"Bucket": self.deployed.bucket, "Key": "state/scheduler.json"}
        state = json.loads(s3.get_object(**place)["Body"].read())
        for number, node in enumerate(state["nodes"]):
            leaf = f"leaf-{number // 11 + 1}"
            node["switch_path"] = ["network", "spine-1", leaf]
            node["slurm_switch_path"] = ["root", leaf]
            if any(node["name"] in job["nodes"] for job in self.jobs):
                node["states"] = ["ALLOCATED"]
        s3.put_object(**place, Body=json.dumps(state).encode())


@pytest.fixture(scope="module")
def deployed(
    tmp_path_factory: pytest.TempPathFactory, synth: Callable[[str | Path], Assembly]
) -> Iterator[Deployed]:
    path = tmp_path_factory.mktemp("deployed") / "test.yaml"
    path.write_text(json.dumps(BASE))
    with deployed_cluster(path, synth(path)) as found:
        yield found


def test_commands_print_what_is_shown(
    deployed: Deployed, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", ACCOUNT)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "local")
    monkeypatch.setenv("CLUSTERWRIGHT_CACHE", os.fspath(tmp_path))
    monkeypatch.syspath_prepend(str(ROOT / "lifecycle_scripts"))
    controller = Operating(deployed, importlib.import_module("clusterwright_state.requests"))
    monkeypatch.setattr("clusterwright.cli.node_follow.time", controller)
    names = [node_name(n) for n in deployed.nodes() if n["InstanceGroupName"] == "workers"]
    controller.jobs = [{"id": "7", "name": "train", "user": "ada", "nodes": names[20:]}]
    controller.publish()
    own = [s for s in shown_commands(PAGE) if s.run_by == "tests/docs/test_operating_pages.py"]
    assert len(own) >= 5
    different = []
    for shown in own:
        words = shlex.split(shown.command.replace(NAMES, " ".join(names[:20])))[1:]
        code, expected = 0, list(shown.output)
        if expected and expected[-1].startswith("# exit code "):
            code = int(expected.pop()[-1])
        answer = clusterwright(*(deployed.path if word == FILE else word for word in words))
        real = answer.err + answer.out
        if answer.exit_code != code or not matches(expected, real):
            different.append(f"{shown.name} prints\n{real}")
    assert not different, "\n".join(different)
