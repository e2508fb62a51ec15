"""Two nodes boot at the same time and create the same shared files.

Home directories with their keys are moved away, and the checkpoint folder if the two nodes create
it: only compute nodes that copy checkpoints from local disks do, otherwise the controller alone.
Then the two nodes are replaced and their scripts released at the same moment. Both must start, and
every file must exist once and be complete.
"""

from __future__ import annotations

import shlex

from clusterwright_rehearsal.scenario_api import jobs
from clusterwright_rehearsal.scenario_api.context import ScenarioContext
from clusterwright_rehearsal.scenario_api.node import Node
from clusterwright_rehearsal.scenario_api.training import DRAIN_UNIT

ORDER = 180
NEEDS_COMPUTE = 2

PROMISES = {
    "together": "two new nodes run their scripts at the same time, and both succeed",
    "homes": "every user has one home directory with the correct owner, mode and keys",
    "checkpoints": "the checkpoint folder exists for every user",
    "clean": "no incomplete files are left on shared storage",
    "jobs": "both nodes take jobs",
}


def run(context: ScenarioContext) -> None:
    shared = _shared(context, context.compute[:2])
    if not shared:
        context.skip(
            "the nodes create no shared folders: the spec has neither users with shared homes nor"
            " compute nodes that copy checkpoints from scratch disks"
        )
    moved: list[str] = []
    try:
        _race(context, shared, moved)
    finally:
        context.hold_scripts(False)
        for path in moved:
            _restore_folder(context, path)


def _race(context: ScenarioContext, shared: list[str], moved: list[str]) -> None:
    nodes = context.compute[:2]
    before = {node.name: node.instance_id for node in nodes}
    wanted = {path: _described(context, path) for path in shared}
    with context.promise("together"):
        context.hold_scripts(True)
        for node in nodes:
            context.replace(node)
        context.wait_for(lambda: _not_held(context, nodes, before), within_s=240)
        for path in shared:
            context.controller.must(f"mv {shlex.quote(path)} {shlex.quote(path)}.moved")
            moved.append(f"{path}.moved")
        context.hold_scripts(False)
        for node in nodes:
            context.wait_running(node, but=before[node.name])
        context.note(f"{len(shared)} shared folders")

    with context.promise("homes"):
        homes = [path for path in shared if path != context.cluster.storage.checkpoint_path]
        for path in homes:
            found = _described(context, path)
            context.expect(found == wanted[path], f"{path} is {found!r}, was {wanted[path]!r}")
        if not homes:
            context.note("the spec has no users on shared homes")

    with context.promise("checkpoints"):
        folder = context.cluster.storage.checkpoint_path
        if folder in shared:
            found = _described(context, str(folder))
            context.expect(found == wanted[str(folder)], f"{folder} is {found!r}")
        else:
            context.note("compute nodes create no checkpoint folder in this cluster")

    with context.promise("clean"):
        for parent in sorted({path.rpartition("/")[0] for path in shared}):
            left = context.controller.must(
                f"find {shlex.quote(parent)} -maxdepth 3 \\( -name '*.tmp' -o -name '.*.new'"
                " -o -name '.clusterwright*' \\)"
            )
            context.expect(not left.split(), f"incomplete files: {left.split()[:3]}")

    with context.promise("jobs"):
        context.wait_idle()
        for node in nodes:
            jobs.expect_job(context, node)


def _shared(context: ScenarioContext, nodes: list[Node]) -> list[str]:
    """The existing shared folders that all these nodes create."""
    found = []
    storage = context.cluster.storage
    if storage.home is not None:
        found += [f"{storage.home.mount_path}/{user.name}" for user in context.cluster.slurm.users]
    if storage.checkpoint_path is not None and all(
        node.run(f"systemctl cat {DRAIN_UNIT}").ok for node in nodes
    ):
        found.append(storage.checkpoint_path)
    return [path for path in found if context.controller.run(f"test -d {shlex.quote(path)}").ok]


def _described(context: ScenarioContext, path: str) -> str:
    """Mode and owner of a folder, and of the keys in a home directory."""
    quoted = shlex.quote(path)
    return context.controller.must(
        f"stat -c '%a %U %G' {quoted}; cd {quoted} && if [ -d .ssh ]; then"
        " stat -c '%n %a %U' .ssh .ssh/authorized_keys; cat .ssh/authorized_keys; fi"
    )


def _not_held(context: ScenarioContext, nodes: list[Node], before: dict[str, str]) -> str | None:
    facts = {node.name: context.facts(node.name) for node in nodes}
    waiting = [
        f"{name} is {found['phase']}"
        for name, found in facts.items()
        if found["instance_id"] == before[name] or found["phase"] != "held"
    ]
    return ", ".join(waiting) or None


def _restore_folder(context: ScenarioContext, moved: str) -> None:
    """Move a folder back, keeping files that the nodes have created meanwhile."""
    old, new = shlex.quote(moved), shlex.quote(moved.removesuffix(".moved"))
    context.controller.run(
        f"if [ -d {new} ]; then cp -a --update=none {old}/. {new}/ && rm -rf {old};"
        f" else mv {old} {new}; fi"
    )
