"""The credentials of every node end, as they do some hours after they were issued.

The metrics of others ended silently with them: Prometheus had read them once, when it started
(aws-samples/aws-parallelcluster-monitoring, pull request 53). Here every call of AWS takes the
current ones from the metadata service. The CloudWatch agent, which sends the metrics to a
workspace, is not on emulated nodes; the alerts NodeSilent and ClusterSilent watch it.
"""

from __future__ import annotations

import json

from clusterwright_rehearsal.platforms.pcs.context import PcsContext
from clusterwright_rehearsal.scenario_api import metrics, operator
from clusterwright_rehearsal.scenario_api.context import ScenarioContext
from clusterwright_rehearsal.scenario_api.node import Node

ORDER = 58
SECONDS = 45
MODES = ("pcs",)
_REASON = "scenario credentials-end"

PROMISES = {
    "ended": "AWS refuses the credentials that a process has kept",
    "published": "the login node, whose service has run since before, publishes a new state",
    "metrics": "the exporter of every node answers",
}


def run(context: ScenarioContext) -> None:
    assert isinstance(context, PcsContext)
    if context.cluster.observability.metrics.listen == "off":
        context.skip("the spec has observability.metrics.listen: off")
    login, node = context.controller, context.compute[-1]
    kept = _credentials(login)
    started = _started(login)
    context.end_credentials()
    with context.promise("ended"):
        call = f"aws s3api list-objects-v2 --bucket {operator.bucket(context)} --max-items 1"
        refused = login.run(call, environment=kept)
        context.expect(
            not refused.ok and "ExpiredToken" in refused.stderr, f"{refused.output_tail!r}"
        )
        login.must(call)

    context.slurm(f"scontrol update nodename={node.host} state=drain reason='{_REASON}'")
    try:
        with context.promise("published"):
            seconds = context.wait_for(lambda: _not_published(context, node), within_s=120)
            context.expect(_started(login) == started, "the service was restarted")
            context.note(f"after {seconds:.0f} s")
    finally:
        context.slurm(f"scontrol update nodename={node.host} state=resume")

    with context.promise("metrics"):
        for one in context.nodes():
            samples, _ = metrics.scrape(context, one)
            context.expect("node_boot_time_seconds" in samples, f"{one} exports no boot time")


def _credentials(node: Node) -> dict[str, str]:
    """The current credentials of the node's role, as an environment."""
    base = "http://169.254.169.254/latest"
    shown = node.must(
        f"token=$(curl -fsS -X PUT -H 'X-aws-ec2-metadata-token-ttl-seconds: 60' {base}/api/token)"
        f" && path={base}/meta-data/iam/security-credentials/"
        ' && ask() { curl -fsS -H "X-aws-ec2-metadata-token: $token" "$1"; }'
        ' && ask "$path$(ask $path)"'
    )
    found = json.loads(shown)
    return {
        "AWS_ACCESS_KEY_ID": found["AccessKeyId"],
        "AWS_SECRET_ACCESS_KEY": found["SecretAccessKey"],
        "AWS_SESSION_TOKEN": found["Token"],
    }


def _started(login: Node) -> str:
    return login.must(f"systemctl show {operator.SERVICE} --property=MainPID --value").strip()


def _not_published(context: PcsContext, node: Node) -> str | None:
    state = operator.read_object(context, "state/scheduler.json") or {}
    for one in state.get("nodes") or ():
        if one["name"] == node.host and _REASON in str(one.get("reason")):
            return None
    return f"no state with the drained node: {operator.journal(context)}"
