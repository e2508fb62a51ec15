"""An upgrade of packages replaces a library of slurmd while a job runs.

On Ubuntu needrestart then restarts the services that use it. On AWS PCS a restart of slurmd ends
the jobs of the node (awslabs/awsome-distributed-ai, aws-pcs/docs/OPERATIONS.md, 6.2). The step
`needrestart` excludes Slurm's daemons. Debian's needrestart runs here, as after an upgrade.
"""

from __future__ import annotations

from clusterwright_rehearsal.scenario_api.context import ScenarioContext
from clusterwright_rehearsal.scenario_api.jobs import options_for
from clusterwright_rehearsal.scenario_api.node import Node

ORDER = 57
SECONDS = 15
MODES = ("pcs",)
_CONF = "/etc/needrestart/conf.d/50-clusterwright.conf"

PROMISES = {
    "kept": "needrestart defers the restart of slurmd",
    "job": "the job that runs meanwhile completes, on its first start",
    "needed": "without our configuration it restarts slurmd",
}


def run(context: ScenarioContext) -> None:
    node = context.compute[-1]
    job = context.submit("srun sleep 8", options=options_for(context, node))
    job.wait("RUNNING", within_s=60)
    before = _process(node)
    library = _replace_library(node, before)
    with context.promise("kept"):
        said = _restart(node)
        deferred = said.partition("deferred")[2]
        context.expect("slurmd" in deferred, f"it says {said!r}")
        after = _process(node)
        context.expect(after == before, f"slurmd was process {before} and is {after}")
        context.note(f"{library} was replaced")

    with context.promise("job"):
        job.wait("COMPLETED", within_s=60)
        restarts = job.fields().get("Restarts")
        context.expect(restarts == "0", f"it was restarted {restarts} times")

    with context.promise("needed"):
        node.must(f"mv {_CONF} {_CONF}.away")
        try:
            said = _restart(node)
        finally:
            node.must(f"mv {_CONF}.away {_CONF}")
        context.expect(_process(node) != before, f"slurmd was not restarted: {said!r}")
        context.wait_idle()


def _restart(node: Node) -> str:
    """Let needrestart restart what uses old libraries; return what it says."""
    return node.must("needrestart -l -r a 2>&1 </dev/null")


def _process(node: Node) -> str:
    return node.must("systemctl show slurmd --property=MainPID --value").strip()


def _replace_library(node: Node, process: str) -> str:
    """Replace a library of slurmd by a copy of it, as an upgrade does."""
    library = node.must(f"awk '/\\/libc\\.so/ {{print $6; exit}}' /proc/{process}/maps").strip()
    node.must(f"cp -a {library} {library}.new && mv {library}.new {library}")
    return library
