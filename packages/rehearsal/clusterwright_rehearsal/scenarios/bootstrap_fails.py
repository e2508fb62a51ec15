"""The agent of AWS PCS fails on new instances, because their image has another version of Slurm.

Reported of an own image after an update: the instance ends in `pcs_bootstrap_init.sh`, PCS
launches another one, and so on (aws-samples/aws-hpc-recipes, issue 63). Our lifecycle action never
runs there. So `check` warns before more than one instance starts with such an image, and
`diagnose` names the cause in the log of an instance.
"""

from __future__ import annotations

from clusterwright_rehearsal.platforms.pcs.context import PcsContext
from clusterwright_rehearsal.scenario_api import command_line
from clusterwright_rehearsal.scenario_api.context import ScenarioContext

ORDER = 52
SECONDS = 25
MODES = ("pcs",)
_OTHER_VERSION = "23.11"

PROMISES = {
    "warned": "`check` warns of an image with which no group has run, unless one instance tries "
    "it",
    "again": "each further instance fails too, none registers or takes a job, others are not "
    "affected",
    "named": "`diagnose` names the agent's bootstrap in the log of the instance",
    "recovers": "with the cluster's Slurm in the image the next instance joins",
}


def run(context: ScenarioContext) -> None:
    assert isinstance(context, PcsContext)
    with context.promise("warned"):
        several = max(len(context.nodes(group=node.group)) for node in context.compute)
        for count, wanted in ((several, several > 1), (1, False)):
            rules = _rules(context, count)
            context.expect(("CW-I031" in rules) is wanted, f"{count} instances: {rules}")
        context.note(f"of {several} instances, not of one")

    node, seen = context.compute[-1], len(context.timeline())
    context.use_images_with_slurm(_OTHER_VERSION)
    try:
        context.crash(node)
        with context.promise("again"):
            context.wait_for(lambda: _fewer_failures(context, node.name, seen, 2), within_s=120)
    finally:
        context.use_images_with_slurm(None)
    failures = context.failures_of(node.name, seen)
    with context.promise("named"):
        failed, reason = failures[-1]
        found = command_line.signatures(context, failed, context.logs_of(node.name, failed))
        context.expect("pcs-agent" in found, f"found {sorted(found)} for {reason!r}")
        context.note(reason)

    with context.promise("recovers"):
        context.wait_running_past(node, failed=failed)
        context.wait_idle()
        ran = {line["instance_id"] for line in context.timeline()[seen:] if _joined(line)}
        context.expect(not ran & {one for one, _ in failures}, f"{sorted(ran)} ran")


def _rules(context: PcsContext, count: int) -> set[str]:
    """The rules that report an own image, with `count` instances in each compute group."""

    def change(spec: dict[str, object]) -> None:
        spec["image"] = {"image_id": "ami-0123456789abcdef0"}
        groups = spec["compute"]
        assert isinstance(groups, list)
        for group in groups:
            if group["role"] == "compute":
                group["count"] = count

    found = command_line.answer(
        context, ["check"], "--only=CW-I031", change=change, codes=(0, 1, 2)
    )
    return {str(one["rule"]) for one in found["findings"]}


def _fewer_failures(context: PcsContext, name: str, seen: int, wanted: int) -> str | None:
    found = len({instance for instance, _ in context.failures_of(name, seen)})
    if found < wanted:
        return f"{found} instances of {name} have failed"
    for other in context.compute:
        if other.name != name:
            context.expect(other.slurm_state() == "idle", f"{other} is {other.slurm_state()}")
    return None


def _joined(line: dict[str, object]) -> bool:
    return line["event"] == "running"
