"""A user is added to a cluster of ParallelCluster: first the update fails, then it does not.

ParallelCluster runs the custom action of an update on the head node alone, and takes a failure of
it for one of the update. A folder lies where a step has to write a file; then it is taken away.
"""

from __future__ import annotations

from typing import Any

from clusterwright_rehearsal.scenario_api.context import ScenarioContext
from clusterwright_rehearsal.scenario_api.jobs import submit_to_node
from clusterwright_rehearsal.scenario_api.outcomes import Broken

ORDER = 55
MODES = ("parallelcluster",)
_IN_THE_WAY = "/etc/motd.d/50-clusterwright"
_NAME, _UID = "rehearsed", 5999
_KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIRehearsedRehearsedRehearsedRehearsed0 rehearsed"

PROMISES = {
    "fails": "an update whose script fails on the head node fails, and its log names the step",
    "goes-on": "after it the cluster runs jobs as before",
    "head": "the update that works brings the user to the head node, and jobs run on",
    "compute": "a compute node that is replaced afterwards has the user too",
}


def run(context: ScenarioContext) -> None:
    head = context.controller
    node = context.compute[0]
    with context.promise("fails"):
        head.must(f"rm -rf {_IN_THE_WAY} && mkdir -p {_IN_THE_WAY}/folder")
        try:
            context.deploy(_add)
        except Broken as error:
            text = str(error)
        else:
            raise Broken("the deployment went well though the script failed")
        finally:
            head.must(f"rm -rf {_IN_THE_WAY}")
        context.expect(
            "Failed to execute OnNodeUpdated script 1" in text, f"cdk says {text[-600:]}"
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
    users = [one for one in spec["slurm"].get("users", []) if one["name"] != _NAME]
    spec["slurm"]["users"] = [
        *users,
        {"name": _NAME, "uid": _UID, "ssh_public_keys": [_KEY]},
    ]
