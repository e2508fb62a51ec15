"""A second run of the node program changes nothing.

HyperPod runs the scripts again when it updates a cluster's software, so they must be safe to run
on a working node.
"""

from __future__ import annotations

from clusterwright_rehearsal.scenario_api.context import ScenarioContext
from clusterwright_rehearsal.scenario_api.node import ProgramRun

ORDER = 20
SECONDS = 5
DEFAULT = True
MODES = ("managed", "scripted", "parallelcluster", "pcs")

PROMISES = {
    "unchanged": "on every node, every step of a second run is unchanged or skipped",
    "files": "it changes no file of the node except logs and files of daemons",
    "quick": "on a healthy node it uses less than two seconds of CPU time, with its children",
}

# Of CPU time: the time that it takes depends on what else this machine does.
_LIMIT_S = 2.0
# Paths that also change on an idle node.
_CHANGING = (
    *("/proc", "/sys", "/run", "/dev", "/tmp", "/srv"),  # noqa: S108  folders of the node
    *("/var/log", "/var/spool", "/var/tmp", "/var/lib/chrony", "/var/lib/mysql"),  # noqa: S108
    "/var/lib/systemd",
    # The result of the last health check, and what the controller keeps of its nodes.
    "/var/lib/clusterwright/health.json",
    "/var/lib/clusterwright/acceptance",
    # The image's time of last use, which another rehearsal may set.
    "/.complete",
)
_CHANGED_SINCE = (
    f"find / -xdev \\( {' -o '.join(f'-path {path}' for path in _CHANGING)} \\) -prune"
    " -o -newer /run/rehearsal-mark -type f -print"
)


def run(context: ScenarioContext) -> None:
    context.wait_idle()
    runs = {}
    with context.promise("unchanged"):
        for node in context.nodes():
            node.must("touch /run/rehearsal-mark && sleep 0.05")
            run = node.run_program()
            context.expect(
                run.exit_code == 0, f"{node}: exit code {run.exit_code}, {run.last_line}"
            )
            other = {s: w for s, w in run.statuses.items() if w not in ("unchanged", "skipped")}
            context.expect(run.statuses, f"{node}: no step reported anything")
            context.expect(not other, f"{node}: {other}")
            runs[node] = run

    with context.promise("files"):
        for node in runs:
            changed = node.must(_CHANGED_SINCE).split()
            context.expect(not changed, f"{node}: {', '.join(changed[:5])}")

    with context.promise("quick"):
        most = max(runs, key=lambda node: _cpu_seconds(runs[node]))
        seconds = _cpu_seconds(runs[most])
        context.note(f"most CPU time: {most}, {seconds:.2f} s")
        context.expect(
            seconds < _LIMIT_S,
            f"{most} used {seconds:.2f} s of CPU time: {runs[most].statuses}",
        )


def _cpu_seconds(run: ProgramRun) -> float:
    """As the program reports it at its end, so without its download on ParallelCluster and PCS."""
    ends = [event["cpu_seconds"] for event in run.events if event.get("event") == "run_end"]
    return float(ends[-1])
