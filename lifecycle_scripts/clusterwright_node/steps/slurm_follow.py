"""Update Slurm's files when nodes are added or removed (scripted configuration).

HyperPod runs the scripts on new nodes only, not on the controller. A systemd path unit watches the
files that HyperPod's agent writes there: the list of instances, and slurm.conf. If one of them
changes, this program runs again, with the steps that depend on them, from a permanent copy. Such a
run uses the lock and the journal like any other.

While the service runs, systemd loses the events of the path unit (systemd/systemd#5770, #41599),
and two new nodes can arrive within one run. So the service repeats the run until it begins with
the files that it ended with; its own changes cause one more run, which changes nothing.
"""

from __future__ import annotations

from clusterwright_node import kept_scripts, slurm_conf, systemd
from clusterwright_node.node import APPLIES, SATISFIED, Node, Verdict, missing, skip

AFTER = ("slurm_daemons", "slurm_qos")
DEADLINE_SECONDS = 60
RETRIES = 1

FOLDER = kept_scripts.FOLDER
PATH_UNIT = "clusterwright-slurm-follow.path"
SERVICE = "clusterwright-slurm-follow.service"
PROGRAM = "/opt/clusterwright/lib/slurm_follow.sh"
STEPS = ("slurm_files", "slurm_qos", "slurm_daemons")
_INPUTS = ("cluster.json", "deployment.json", "provisioning_parameters.json")


def applies(node: Node) -> Verdict:
    if node.is_managed:
        return skip(node.does("updates its nodes"))
    if not node.is_controller:
        return skip("the controller distributes its files")
    return APPLIES


def check(node: Node) -> Verdict:
    problem = kept_scripts.problem(node, _files(node))
    if problem is not None:
        return missing(problem)
    if not systemd.has_unit(node, PATH_UNIT, _path_text(node)):
        return missing(f"{PATH_UNIT} is not active and enabled")
    return SATISFIED


def apply(node: Node) -> None:
    kept_scripts.install(node, _files(node), PROGRAM)
    systemd.install_unit(node, PATH_UNIT, _path_text(node))


def _files(node: Node) -> dict[str, str]:
    """Texts by path: the copy of the lifecycle folder, the service and its program."""
    return {
        PROGRAM: _program_text(node),
        systemd.unit_path(SERVICE): _service_text(node),
        **kept_scripts.files(node, _INPUTS),
    }


def _watched(node: Node) -> tuple[str, str]:
    return node.inputs.resource_config, slurm_conf.SLURM_CONF


def _path_text(node: Node) -> str:
    lines = "\n".join(f"PathChanged={path}" for path in _watched(node))
    return f"""# Written by clusterwright_node.
[Unit]
Description=Watch for added and removed nodes

[Path]
{lines}
Unit={SERVICE}

[Install]
WantedBy=multi-user.target
"""


def _service_text(node: Node) -> str:
    return f"""# Written by clusterwright_node.
[Unit]
Description=Update the nodes of Slurm
StartLimitIntervalSec=0

[Service]
Type=oneshot
ExecStart={PROGRAM}
Environment=SAGEMAKER_RESOURCE_CONFIG_PATH={node.inputs.resource_config}
Restart=on-failure
RestartSec=15
"""


def _program_text(node: Node) -> str:
    return f"""#!/bin/sh
# Written by clusterwright_node. Runs again as long as its files change during a run.
before=
while now="$(cat {" ".join(_watched(node))} | sha256sum)" && [ "$now" != "$before" ]; do
  before="$now"
  {kept_scripts.command("scripted", STEPS)} || exit
done
"""
