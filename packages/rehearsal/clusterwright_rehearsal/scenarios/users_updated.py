"""A user is added to a cluster of ParallelCluster: the first update fails, the second works.

ParallelCluster runs the custom action of an update only on the head node, and treats its failure
as a failure of the update. A folder exists at the path of a file that a step has to write; then it
is removed.
"""

from __future__ import annotations

from typing import Any

from clusterwright_rehearsal.scenario_api.context import ScenarioContext
from clusterwright_rehearsal.scenario_api.jobs import submit_to_node
from clusterwright_rehearsal.scenario_api.outcomes import Broken

ORDER = 55
MODES = ("parallelcluster",)
_BLOCKED_PATH = "/etc/motd.d/50-clusterwright"
_NAME, _UID = "rehearsed", 5999
_KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIRehearsedRehearsedRehearsedRehearsed0 rehearsed"

PROMISES = {
    "fails": "an update whose script fails on the head node fails, and its log names the step",
    "goes-on": "afterwards the cluster runs jobs as before",
    "head": "the successful update creates the user on the head node, and jobs continue",
    "compute": "a compute node that is replaced afterwards has the user too",
}


def run(context: ScenarioContext) -> None:
    head = context.controller
    node = context.compute[0]
    with context.promise("fails"):
        head.must(f"rm -rf {_BLOCKED_PATH} && mkdir -p {_BLOCKED_PATH}/folder")
        try:
            context.deploy(_add)
        except Broken as error:
            text = str(error)
        else:
            raise Broken("the deployment succeeded although the script failed")
        finally:
            head.must(f"rm -rf {_BLOCKED_PATH}")
        context.expect(
            "Failed to execute OnNodeUpdated script 1" in text, f"output of cdk: {text[-600:]}"
        )
        log = head.must("cat /var/log/cfn-init.log")
        context.expect("step motd failed" in log, f"the log ends with {log[-300:]!r}")

    with context.promise("goes-on"):
        context.wait_idle()
        submit_to_node(context, node).wait("COMPLETED", within_s=60)

    with context.promise("head"):
        job = context.submit("sleep 1800")
        job.wait("RUNNING", within_s=60)
        context.deploy(_add)
        row = head.must(f"getent passwd {_NAME}").split(":")
        context.expect(int(row[2]) == _UID, f"{_NAME} is {row[2]}")
        context.expect(job.state == "RUNNING", f"the job is {job.state}")
        job.cancel()

    with context.promise("compute"):
        before = node.instance_id
        context.replace(node)
        context.wait_running(node, but=before)
        row = context.node(node.name).must(f"getent passwd {_NAME}").split(":")
        context.expect(int(row[2]) == _UID, f"{_NAME} is {row[2]} on {node}")
        context.wait_idle()


def _add(spec: dict[str, Any]) -> None:
    users = [user for user in spec["slurm"].get("users", []) if user["name"] != _NAME]
    spec["slurm"]["users"] = [
        *users,
        {"name": _NAME, "uid": _UID, "ssh_public_keys": [_KEY]},
    ]
