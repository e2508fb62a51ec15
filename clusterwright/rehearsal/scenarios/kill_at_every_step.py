"""The node program is killed at every one of its steps, on every role, and converges.

A compute and a login node are replaced by fresh ones, whose lifecycle scripts wait. There the
program is started as often as it has steps, and killed each time a step further. Then HyperPod's
own run is let go. The nodes that come out of it must be the same as those that were there before,
which nobody disturbed. After them the controller, alone: the others wait for it. HyperPod replaces
no controller when it is asked to, so it gets its fresh one by UpdateClusterSoftware.
"""

from __future__ import annotations

import functools
import json
from concurrent.futures import ThreadPoolExecutor

from clusterwright.rehearsal.hyperpod.node import SCRIPTS
from clusterwright.rehearsal.stage import Broken, Node, Stage

ORDER = 60

PROMISES = {
    "killed": "on compute and login nodes the program can be killed at each of its steps",
    "converges": "the run after the last kill brings the nodes up",
    "controller": "after a kill at each step the controller comes up too, and its cluster with it",
    "same": "each node has the same files as the one that nobody disturbed",
    "unchanged": "a further run changes nothing",
}

_FOLDERS = ("/etc", "/opt", "/usr/local", "/var/lib/clusterwright")
# Of one machine only, or written by the system at times of its own.
_OWN = (
    "/etc/machine-id", "/etc/hosts", "/etc/munge/munge.key", "/etc/emulation/hardware.json",
    "/opt/ml/config/resource_config.json",
    "/etc/resolv.conf", "/etc/hostname", "/etc/.updated", "/etc/adjtime",
    "/var/lib/clusterwright/health.json",
)  # fmt: skip
_LOOK = r"""
import hashlib, json, os, pwd, re, stat, sys
names, folders, own = json.loads(sys.argv[1])
pattern = re.compile("|".join(map(re.escape, names)).encode())
found = {}
for folder in folders:
    device = os.stat(folder).st_dev
    for here, below, files in os.walk(folder):
        if here.startswith("/opt/dlami"):
            below[:] = []
            continue
        below[:] = [b for b in below if os.lstat(os.path.join(here, b)).st_dev == device]
        for name in files:
            path = os.path.join(here, name)
            about = os.lstat(path)
            if not stat.S_ISREG(about.st_mode) or path.endswith(".pyc") or path in own:
                continue
            with open(path, "rb") as file:
                text = pattern.sub(b"NODE", file.read())
            text = re.sub(rb"(?m)^StoragePass=.*$", b"", text)
            owner = pwd.getpwuid(about.st_uid).pw_name
            digest = hashlib.sha256(text).hexdigest()[:16]
            found[path] = "%s %o %s" % (digest, stat.S_IMODE(about.st_mode), owner)
print(json.dumps(found))
"""


def play(stage: Stage) -> None:
    victims = [stage.compute[0], *stage.nodes("login")[:1]]
    before = {node.name: _files(node) for node in victims}
    with stage.promise("killed"):
        steps = _kill_at_each(stage, victims)
        stage.note(f"{steps} steps on {', '.join(node.name for node in victims)}")

    with stage.promise("converges"):
        _wait_ready(stage, victims)
        stage.settle()

    controller = stage.controller
    before[controller.name] = _files(controller)
    with stage.promise("controller"):
        stage.note(f"{_kill_at_each(stage, [controller])} steps")
        _wait_ready(stage, [controller])
        stage.wait_for(lambda: _not_in_service(stage), within_s=120)
        stage.settle()
    victims.append(controller)

    with stage.promise("same"):
        for node in victims:
            mine, theirs = _files(node), before[node.name]
            different = sorted(
                path for path in mine.keys() | theirs.keys() if mine.get(path) != theirs.get(path)
            )
            stage.expect(not different, f"{node} differs in {', '.join(different[:5])}")
            stage.note(f"{node}: {len(mine)} files compared")

    with stage.promise("unchanged"):
        for node in victims:
            run = node.run_program()
            others = {s: w for s, w in run.statuses.items() if w not in ("unchanged", "skipped")}
            stage.expect(run.exit_code == 0, f"{node}: {run.exit_code}: {run.last_line}")
            stage.expect(not others, f"{node}: {others}")


def _kill_at_each(stage: Stage, nodes: list[Node]) -> int:
    """Replaces nodes and kills their programs at each step; how many steps there are."""
    stage.hold_scripts(True)
    try:
        for node in nodes:
            if node.role == "controller":
                stage.aws("sagemaker").update_cluster_software(
                    ClusterName=stage.cluster.environment,
                    InstanceGroups=[{"InstanceGroupName": node.group}],
                )
            else:
                stage.replace(node)
        for node in nodes:
            stage.wait_for(functools.partial(_waiting, stage, node), within_s=180)
        steps = _steps(nodes[0])
        with ThreadPoolExecutor(len(nodes)) as pool:
            missed = list(pool.map(lambda node: _missed(node, steps), nodes))
    finally:
        stage.hold_scripts(False)
    for node, names in zip(nodes, missed, strict=True):
        stage.expect(not names, f"on {node} the program did not get to {', '.join(names)}")
    return len(steps)


def _missed(node: Node, steps: list[str]) -> list[str]:
    return [step for step in steps if not node.kill_program_at(step)]


def _wait_ready(stage: Stage, nodes: list[Node]) -> None:
    for node in nodes:
        stage.wait_running(node)
        lines = stage.logs(node)
        stage.expect(lines, f"the log of {node} is empty")
        stage.expect("is ready" in lines[-1], f"the log of {node} ends with {lines[-1]!r}")


def _waiting(stage: Stage, node: Node) -> str | None:
    """Only a fresh node is held."""
    phase = stage.facts(node.name)["phase"]
    if phase == "failed":
        raise Broken(f"{node} failed before its script")
    return None if phase == "held" else f"{node} is {phase}"


def _not_in_service(stage: Stage) -> str | None:
    cluster = stage.aws("sagemaker").describe_cluster(ClusterName=stage.cluster.environment)
    status = cluster["ClusterStatus"]
    return None if status == "InService" else f"the cluster is {status}"


def _steps(node: Node) -> list[str]:
    text = node.must(f"cd {SCRIPTS} && python3 -m clusterwright_node --list")
    return [line.split()[0] for line in text.splitlines() if line.strip()]


def _files(node: Node) -> dict[str, str]:
    """Path → digest of its contents, mode and owner, without what tells instances apart."""
    names = [node.host, node.address, node.name, node.instance_id]
    arguments = json.dumps([names, _FOLDERS, _OWN])
    found: dict[str, str] = json.loads(
        node.must(f"python3 -I -S - '{arguments}'", stdin=_LOOK, timeout_s=300)
    )
    return found
