"""The node program is killed at every one of its steps, and converges when it is run again.

A compute node is replaced by a fresh one, whose lifecycle script waits. There the program is
started as often as it has steps, and killed each time a step further. Then HyperPod's own run is
let go. The node that comes out of it must be the same as one that nobody disturbed. Steps that are
the controller's alone have nothing to do there: their kills are in the node program's own tests.
"""

from __future__ import annotations

from clusterwright.rehearsal.hyperpod.node import SCRIPTS
from clusterwright.rehearsal.stage import Broken, Node, Stage

ORDER = 60
NEEDS_COMPUTE = 2

PROMISES = {
    "killed": "the program can be killed at each of its steps",
    "converges": "the run after the last kill brings the node up",
    "same": "the node has the same files as one that nobody disturbed",
    "unchanged": "a further run changes nothing",
}

_FOLDERS = "/etc /opt /usr/local /var/lib/clusterwright"
# Of one machine only, or written by the system at times of its own.
_OWN = (
    "/etc/machine-id", "/etc/hosts", "/etc/munge/munge.key", "/etc/emulation/hardware.json",
    "/opt/ml/config/resource_config.json",
    "/etc/resolv.conf", "/etc/hostname", "/etc/.updated", "/etc/adjtime",
    "/var/lib/clusterwright/health.json",
)  # fmt: skip


def play(stage: Stage) -> None:
    victim, other = stage.compute[0], stage.compute[1]
    same_group = [node for node in stage.compute[1:] if node.group == victim.group]
    other = same_group[0] if same_group else other
    before = victim.instance_id
    stage.hold_scripts(True)
    try:
        with stage.promise("killed"):
            stage.replace(victim)
            stage.wait_for(lambda: _waiting(stage, victim, before), within_s=180)
            steps = _steps(victim)
            missed = [step for step in steps if not victim.kill_program_at(step)]
            stage.expect(not missed, f"the program did not get to {', '.join(missed)}")
            stage.note(f"{len(steps)} steps")
    finally:
        stage.hold_scripts(False)

    with stage.promise("converges"):
        stage.wait_running(victim, but=before)
        lines = stage.logs(victim)
        stage.expect("is ready" in lines[-1], f"its log ends with {lines[-1]!r}")
        stage.settle()

    with stage.promise("same"):
        if not same_group:
            stage.cannot(f"group {victim.group} has no second node to compare with")
        mine, theirs = _files(victim), _files(other)
        different = sorted(
            path for path in mine.keys() | theirs.keys() if mine.get(path) != theirs.get(path)
        )
        stage.expect(not different, f"{victim} and {other} differ in {', '.join(different[:5])}")
        stage.note(f"{len(mine)} files compared")

    with stage.promise("unchanged"):
        run = victim.run_program()
        other_states = {s: w for s, w in run.statuses.items() if w not in ("unchanged", "skipped")}
        stage.expect(run.exit_code == 0, f"exit code {run.exit_code}: {run.last_line}")
        stage.expect(not other_states, f"{other_states}")


def _waiting(stage: Stage, node: Node, before: str) -> str | None:
    facts = stage.facts(node.name)
    if facts["phase"] == "failed":
        raise Broken(f"{node} failed before its script")
    if facts["instance_id"] != before and facts["phase"] == "held":
        return None
    return f"{node} is {facts['phase']}"


def _steps(node: Node) -> list[str]:
    text = node.must(f"cd {SCRIPTS} && python3 -m clusterwright_node --list")
    return [line.split()[0] for line in text.splitlines() if line.strip()]


def _files(node: Node) -> dict[str, str]:
    """Path → digest of its contents, with what tells one node from the other left out."""
    names = "|".join(
        word.replace(".", "\\.") for word in (node.host, node.address, node.name, node.instance_id)
    )
    text = node.must(
        f"find {_FOLDERS} -xdev -type f ! -name '*.pyc' ! -path '/opt/dlami/*' -print0"
        f" | while IFS= read -r -d '' f; do printf '%s %s %s\\n'"
        f' "$(sed -E "s/{names}/NODE/g" "$f" | sha256sum | cut -c1-16)" "$(stat -c %a:%U "$f")"'
        ' "$f"; done',
        timeout_s=300,
    )
    found = {}
    for line in text.splitlines():
        digest, mode, path = line.split(" ", 2)
        if path not in _OWN:
            found[path] = f"{digest} {mode}"
    return found
