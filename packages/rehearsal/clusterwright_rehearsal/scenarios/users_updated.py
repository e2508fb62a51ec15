"""A user is added to a cluster of ParallelCluster: first the update fails, then it does not.

ParallelCluster runs the custom action of an update on the head node alone, and takes a failure of
it for one of the update. A folder lies where a step has to write a file; then it is taken away.
"""

from __future__ import annotations

from typing import Any

from clusterwright_rehearsal.scenario_api.context import Broken, Stage
from clusterwright_rehearsal.scenario_api.jobs import on_node

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


def play(stage: Stage) -> None:
    head = stage.controller
    node = stage.compute[0]
    with stage.promise("fails"):
        head.must(f"rm -rf {_IN_THE_WAY} && mkdir -p {_IN_THE_WAY}/folder")
        try:
            stage.deploy(_add)
        except Broken as error:
            text = str(error)
        else:
            raise Broken("the deployment went well though the script failed")
        finally:
            head.must(f"rm -rf {_IN_THE_WAY}")
        stage.expect("Failed to execute OnNodeUpdated script 1" in text, f"cdk says {text[-600:]}")
        log = head.must("cat /var/log/cfn-init.log")
        stage.expect("step motd failed" in log, f"the log ends with {log[-300:]!r}")

    with stage.promise("goes-on"):
        stage.settle()
        on_node(stage, node).wait("COMPLETED", within_s=60)

    with stage.promise("head"):
        job = stage.submit("sleep 1800")
        job.wait("RUNNING", within_s=60)
        stage.deploy(_add)
        row = head.must(f"getent passwd {_NAME}").split(":")
        stage.expect(int(row[2]) == _UID, f"{_NAME} is {row[2]}")
        stage.expect(job.state == "RUNNING", f"the job is {job.state}")
        job.cancel()

    with stage.promise("compute"):
        before = node.instance_id
        stage.replace(node)
        stage.wait_running(node, but=before)
        row = stage.node(node.name).must(f"getent passwd {_NAME}").split(":")
        stage.expect(int(row[2]) == _UID, f"{_NAME} is {row[2]} on {node}")
        stage.settle()


def _add(spec: dict[str, Any]) -> None:
    users = [one for one in spec["slurm"].get("users", []) if one["name"] != _NAME]
    spec["slurm"]["users"] = [
        *users,
        {"name": _NAME, "uid": _UID, "ssh_public_keys": [_KEY]},
    ]
