"""Two nodes boot at once, and race for the files that they share.

Home directories with their keys, and the folder of checkpoints, are taken away; then two nodes are
replaced and their scripts let go in the same moment. Both must come up, and everything must be
there once and whole.
"""

from __future__ import annotations

import shlex

from clusterwright_rehearsal.scenario_api.context import Node, Stage
from clusterwright_rehearsal.scenario_api.training import partition_of

ORDER = 180
NEEDS_COMPUTE = 2

PROMISES = {
    "together": "two new nodes run their scripts at the same time, and both succeed",
    "homes": "every user has a home directory with its owner, its mode and its keys, once",
    "checkpoints": "the folder of checkpoints is there for every user",
    "clean": "nothing half made is left on shared storage",
    "jobs": "both nodes take jobs",
}


def play(stage: Stage) -> None:
    shared = _shared(stage)
    if not shared:
        stage.not_for_this("the nodes share neither homes of users nor a folder of checkpoints")
    aside: list[str] = []
    try:
        _race(stage, shared, aside)
    finally:
        stage.hold_scripts(False)
        for path in aside:
            _put_back(stage, path)


def _race(stage: Stage, shared: list[str], aside: list[str]) -> None:
    nodes = stage.compute[:2]
    before = {node.name: node.instance_id for node in nodes}
    wanted = {path: _described(stage, path) for path in shared}
    with stage.promise("together"):
        stage.hold_scripts(True)
        for node in nodes:
            stage.replace(node)
        stage.wait_for(lambda: _not_held(stage, nodes, before), within_s=240)
        for path in shared:
            stage.controller.must(f"mv {shlex.quote(path)} {shlex.quote(path)}.aside")
            aside.append(f"{path}.aside")
        stage.hold_scripts(False)
        for node in nodes:
            stage.wait_running(node, but=before[node.name])
        stage.note(f"{len(shared)} shared folders")

    with stage.promise("homes"):
        homes = [path for path in shared if path != stage.cluster.storage.checkpoint_path]
        for path in homes:
            found = _described(stage, path)
            stage.expect(found == wanted[path], f"{path} is {found!r}, was {wanted[path]!r}")
        if not homes:
            stage.note("the spec has no users on shared homes")

    with stage.promise("checkpoints"):
        folder = stage.cluster.storage.checkpoint_path
        if folder in shared:
            found = _described(stage, str(folder))
            stage.expect(found == wanted[str(folder)], f"{folder} is {found!r}")
        else:
            stage.note("the nodes make none")

    with stage.promise("clean"):
        for parent in sorted({path.rpartition("/")[0] for path in shared}):
            left = stage.controller.must(
                f"find {shlex.quote(parent)} -maxdepth 3 \\( -name '*.tmp' -o -name '.*.new'"
                " -o -name '.clusterwright*' \\)"
            )
            stage.expect(not left.split(), f"left over: {left.split()[:3]}")

    with stage.promise("jobs"):
        stage.settle()
        for node in nodes:
            partition = partition_of(stage, node.group)
            options = [f"--nodelist={node.host}"]
            options += [f"--partition={partition}"] if partition else []
            stage.submit("hostname", options=options).wait("COMPLETED", within_s=60)


def _shared(stage: Stage) -> list[str]:
    """The folders that several nodes make on the same file system."""
    found = []
    storage = stage.cluster.storage
    if storage.home is not None:
        found += [f"{storage.home.mount_path}/{user.name}" for user in stage.cluster.slurm.users]
    if storage.checkpoint_path is not None:
        found.append(storage.checkpoint_path)
    return [path for path in found if stage.controller.run(f"test -d {shlex.quote(path)}").ok]


def _described(stage: Stage, path: str) -> str:
    """Mode and owner of a folder, and of a home its keys with theirs."""
    quoted = shlex.quote(path)
    return stage.controller.must(
        f"stat -c '%a %U %G' {quoted}; cd {quoted} && if [ -d .ssh ]; then"
        " stat -c '%n %a %U' .ssh .ssh/authorized_keys; cat .ssh/authorized_keys; fi"
    )


def _not_held(stage: Stage, nodes: list[Node], before: dict[str, str]) -> str | None:
    facts = {node.name: stage.facts(node.name) for node in nodes}
    waiting = [
        f"{name} is {found['phase']}"
        for name, found in facts.items()
        if found["instance_id"] == before[name] or found["phase"] != "held"
    ]
    return ", ".join(waiting) or None


def _put_back(stage: Stage, aside: str) -> None:
    """What was in a folder goes back into it, unless the nodes have made it anew."""
    old, new = shlex.quote(aside), shlex.quote(aside.removesuffix(".aside"))
    stage.controller.run(
        f"if [ -d {new} ]; then cp -a --update=none {old}/. {new}/ && rm -rf {old};"
        f" else mv {old} {new}; fi"
    )
