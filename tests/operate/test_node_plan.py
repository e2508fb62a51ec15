"""What `node` would do, refuse and cost."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from clusterwright.cluster_state.not_read import NotRead
from clusterwright.cluster_state.published import (
    NodeAcceptance,
    Reservation,
    RunningJob,
    SchedulerView,
)
from clusterwright.operate.capacity import REPLACEMENT_MINUTES, RESTART_MINUTES
from clusterwright.operate.node_plan import REBOOT_MINUTES, UnknownNode, means_of, node_plan
from clusterwright.operate.results import NodePlan, NodeVerb
from tests.operate.clusters import (
    NOW,
    ON_EKS,
    cluster_state,
    in_slurm,
    load,
    minutes,
    node,
    plan,
    published,
    rates,
)
from tests.support import specs

JOB = RunningJob(id="101", user="ada", nodes=("ip-workers-1", "ip-workers-2", "ip-workers-3"))
UNKNOWN = SchedulerView(None, NotRead("the scheduler's view", "the controller is silent"))


def planned(
    folder: Path,
    verb: NodeVerb,
    *names: str,
    spec: dict[str, Any] | None = None,
    without_scheduler: bool = False,
    **changes: Any,
) -> NodePlan:
    loaded = load(folder, **spec or {})
    return node_plan(
        loaded.cluster,
        cluster_state(loaded, **changes),
        rates(loaded),
        verb,
        names,
        "xid 79",
        file="test.yaml",
        without_scheduler=without_scheduler,
    )


def slurm(*nodes: Any, **changes: Any) -> SchedulerView:
    given = {each.name for each in nodes}
    rest = [in_slurm(i) for i in range(1, 5) if f"ip-workers-{i}" not in given]
    return SchedulerView(published([*nodes, *rest], **changes), None)


def refusal(found: NodePlan) -> str | None:
    (action,) = found.actions
    return action.refused


def test_replacement_stops_jobs(tmp_path: Path) -> None:
    found = planned(tmp_path, "replace", "ip-workers-1", scheduler=slurm(running=(JOB,)))
    assert (found.means, found.drains_first, found.jobs_stop) == ("hyperpod", True, True)
    assert [(job.id, job.user, job.nodes) for job in found.jobs or ()] == [("101", "ada", 3)]
    low, high = REPLACEMENT_MINUTES
    assert found.node_minutes == (low + 2 * RESTART_MINUTES[0], high + 2 * RESTART_MINUTES[1])
    rate = rates(load(tmp_path)).of_group("workers")
    assert rate is not None
    assert found.usd == (rate * 30 / 60, rate * 70 / 60)
    assert found.usd_per_hour == rate
    assert found.unknown == ()


def test_a_node_is_named_by_any_of_its_names_and_once(tmp_path: Path) -> None:
    found = planned(tmp_path, "drain", "i-workers-1", "ip-workers-1")
    (action,) = found.actions
    assert (action.name, action.scheduler_name) == ("ip-workers-1", "ip-workers-1")
    assert action.instance_id == "i-workers-1"
    with pytest.raises(UnknownNode, match="the cluster has no node ip-worker-1") as caught:
        planned(tmp_path, "drain", "ip-worker-1")
    assert "ip-workers-1" in caught.value.hint


def test_draining_costs_while_it_lasts(tmp_path: Path) -> None:
    found = planned(tmp_path, "drain", "ip-workers-1", scheduler=slurm(running=(JOB,)))
    assert (found.means, found.drains_first, found.jobs_stop) == ("controller", False, False)
    assert (found.node_minutes, found.usd) == (None, None)
    assert found.usd_per_hour == rates(load(tmp_path)).of_group("workers")
    assert found.warnings == ()


def test_reboot_without_jobs(tmp_path: Path) -> None:
    found = planned(tmp_path, "reboot", "ip-workers-1", "ip-workers-2")
    assert found.jobs == ()
    assert found.node_minutes == (2 * REBOOT_MINUTES[0], 2 * REBOOT_MINUTES[1])


@pytest.mark.parametrize("verb", ["drain", "resume", "reboot", "replace"])
def test_the_controller_is_refused(tmp_path: Path, verb: NodeVerb) -> None:
    found = planned(tmp_path, verb, "ip-controller-1")
    assert refusal(found) == "it is the controller: the whole cluster would stop"
    assert found.refused
    assert found.wanted == ()


def test_jobs_without_spares(tmp_path: Path) -> None:
    busy = [in_slurm(i, "ALLOCATED") for i in range(1, 5)]
    found = planned(tmp_path, "reboot", "ip-workers-1", scheduler=slurm(*busy, running=(JOB,)))
    assert found.warnings == (
        "workers: jobs lose 1 nodes and 0 others are idle, so they wait until the nodes are back",
    )
    found = planned(tmp_path, "reboot", "ip-workers-1", scheduler=slurm(running=(JOB,)))
    assert found.warnings == ()


def test_purchases_that_cannot_give_a_node(tmp_path: Path) -> None:
    spec = {"compute__1__capacity": {"kind": "training-plan", "arn": specs.PLAN}}
    bought = plan(free=0, spares=0, ends=NOW + minutes(20))
    found = planned(tmp_path, "replace", "ip-workers-1", spec=spec, capacity={specs.PLAN: bought})
    assert found.warnings == (
        "workers: its training-plan has no free instance now",
        "workers: its training-plan ends in 20 min",
    )
    assert found.usd is None


@pytest.mark.parametrize("verb", ["drain", "resume"])
def test_the_controller_must_answer(tmp_path: Path, verb: NodeVerb) -> None:
    found = planned(tmp_path, verb, "ip-workers-1", scheduler=UNKNOWN)
    assert refusal(found) == "the controller is silent"
    assert found.actions[0].unknown
    down = slurm(daemons={"slurmctld": "down"})
    assert refusal(planned(tmp_path, verb, "ip-workers-1", scheduler=down)) == "slurmctld is down"


def test_jobs_must_be_known_before_a_node_stops(tmp_path: Path) -> None:
    found = planned(tmp_path, "replace", "ip-workers-1", scheduler=UNKNOWN)
    assert "--without-scheduler acts without knowing the jobs" in (refusal(found) or "")
    found = planned(tmp_path, "replace", "ip-workers-1", scheduler=UNKNOWN, without_scheduler=True)
    assert (refusal(found), found.drains_first, found.jobs) == (None, False, None)
    assert found.warnings[0] == "the jobs on the nodes are unknown, and stop"
    assert found.node_minutes is None
    unread = slurm(running=None)
    assert refusal(planned(tmp_path, "reboot", "ip-workers-1", scheduler=unread))


@pytest.mark.parametrize("nodes", [(), None])
def test_running_job_on_unknown_nodes_may_be_on_any(
    tmp_path: Path, nodes: tuple[str, ...] | None
) -> None:
    jobs = (RunningJob(id="7", nodes=("ip-workers-2",)), RunningJob(id="8", nodes=nodes))
    found = planned(tmp_path, "reboot", "ip-workers-1", scheduler=slurm(running=jobs))
    assert found.jobs is None
    assert refusal(found) == (
        "the jobs on it are unknown: the controller could not read the nodes of job 8; "
        "--without-scheduler acts without knowing the jobs on it"
    )
    assert found.actions[0].unknown
    assert [part.what for part in found.unknown] == ["the nodes of running jobs"]
    # Draining stops no job.
    found = planned(tmp_path, "drain", "ip-workers-1", scheduler=slurm(running=jobs))
    assert (refusal(found), found.jobs) == (None, None)


def test_states_in_which_nothing_can_be_done(tmp_path: Path) -> None:
    nodes = (
        node(1, condition="starting", state="Pending"),
        node(2, instance_id=None),
        *(node(i) for i in (3, 4)),
    )
    assert refusal(planned(tmp_path, "reboot", "ip-workers-1", nodes=nodes)) == "it is Pending"
    assert refusal(planned(tmp_path, "reboot", "ip-workers-2", nodes=nodes)) == (
        "it has no instance yet"
    )
    assert refusal(planned(tmp_path, "reboot", "ip-workers-4", nodes=nodes[:3])) == (
        "HyperPod has no instance of it"
    )
    unread = NotRead("the nodes", "denied")
    found = planned(tmp_path, "reboot", "other", nodes=unread)
    assert (refusal(found), found.actions[0].unknown) == ("denied", True)


def test_what_the_health_agent_does_already(tmp_path: Path) -> None:
    def asked(age: float) -> str | None:
        marked = in_slurm(1, "DRAIN", reason="Action:Replace", reason_at=NOW - minutes(age))
        return refusal(planned(tmp_path, "replace", "ip-workers-1", scheduler=slurm(marked)))

    assert "give it 15 minutes" in (asked(5) or "")
    assert asked(20) is None
    marked = slurm(in_slurm(1, "DRAIN", reason="Action:Reboot"))
    assert refusal(planned(tmp_path, "resume", "ip-workers-1", scheduler=marked)) == (
        "HyperPod's health agent drained it: Action:Reboot"
    )


def test_resume(tmp_path: Path) -> None:
    drained = in_slurm(1, "IDLE", "DRAIN", reason="xid 79")
    found = planned(tmp_path, "resume", "ip-workers-1", scheduler=slurm(drained))
    assert refusal(found) is None
    assert (found.node_minutes, found.usd) == ((0, 0), (Decimal(0), Decimal(0)))
    rejected = {"ip-workers-1": NodeAcceptance(state="rejected", reason="efa 7 is down")}
    found = planned(
        tmp_path, "resume", "ip-workers-1", scheduler=slurm(drained, acceptance=rejected)
    )
    assert refusal(found) == "acceptance: rejected: efa 7 is down"


@pytest.mark.parametrize("held_by", ["clusterwright_drain_ip-workers-1", "maintenance"])
def test_a_reservation_that_drains_is_resumed(tmp_path: Path, held_by: str) -> None:
    """A node is in several reservations, of which the scheduler's view names one."""
    ours = Reservation(name="clusterwright_drain_ip-workers-1", nodes=("ip-workers-1",))
    others = Reservation(name="maintenance", nodes=("ip-workers-1", "ip-workers-2"))
    nodes = [in_slurm(1, reservation=held_by), in_slurm(2, reservation="maintenance")]
    scheduler = slurm(*nodes, reservations=(ours, others))
    spec = {"platform": "parallelcluster"}
    found = planned(
        tmp_path, "resume", "ip-workers-1", "ip-workers-2", spec=spec, scheduler=scheduler
    )
    assert [each.unchanged for each in found.actions] == [None, "it is not drained"]
    found = planned(tmp_path, "drain", "ip-workers-1", spec=spec, scheduler=scheduler)
    assert found.actions[0].unchanged == "it is drained already"


def test_nothing_to_do(tmp_path: Path) -> None:
    found = planned(tmp_path, "resume", "ip-workers-1")
    assert (found.actions[0].unchanged, found.wanted) == ("it is not drained", ())
    drained = slurm(in_slurm(1, "DRAIN", reason="xid 79"))
    found = planned(tmp_path, "drain", "ip-workers-1", scheduler=drained)
    assert found.actions[0].unchanged == "it is drained already: xid 79"
    assert found.usd_per_hour == 0


@pytest.mark.parametrize(
    ("platform", "verb", "means"),
    [
        ("parallelcluster", "drain", "controller"),
        ("parallelcluster", "reboot", "controller"),
        ("parallelcluster", "replace", "ec2"),
        ("pcs", "drain", "controller"),
        ("pcs", "reboot", "controller"),
        ("pcs", "replace", "ec2"),
        ("eks", "drain", "kubernetes"),
        ("eks", "resume", "kubernetes"),
        ("eks", "reboot", "ec2"),
        ("eks", "replace", "ec2"),
        ("hyperpod-eks", "replace", "hyperpod"),
        ("hyperpod-eks", "drain", "kubernetes"),
    ],
)
def test_means_of_platforms(platform: str, verb: NodeVerb, means: str) -> None:
    assert means_of(_cluster({"platform": platform}), verb) == means


def test_replacement_by_ec2_stops_jobs(tmp_path: Path) -> None:
    spec = {"platform": "parallelcluster"}
    found = planned(
        tmp_path, "replace", "ip-workers-1", spec=spec, scheduler=slurm(running=(JOB,))
    )
    assert (found.means, found.drains_first, found.jobs_stop) == ("ec2", True, True)
    assert found.effects[0] == (
        "EC2 terminates the instances, and ParallelCluster starts new ones: jobs on the nodes stop"
    )
    assert (found.node_minutes, found.usd) == (None, None)
    assert found.usd_per_hour == rates(load(tmp_path, **spec)).of_group("workers")
    found = planned(tmp_path, "replace", "ip-workers-1", spec=spec, nodes=(node(2),))
    assert refusal(found) == "EC2 has no instance of it"
    ending = node(1, condition="ending", state="shutting-down")
    found = planned(tmp_path, "replace", "ip-workers-1", spec=spec, nodes=(ending,))
    assert refusal(found) == "it is shutting-down"
    found = planned(tmp_path, "replace", "ip-workers-1", spec=spec, scheduler=UNKNOWN)
    assert "--without-scheduler" in (refusal(found) or "")


def test_a_node_without_a_scheduler_is_not_drained_first(tmp_path: Path) -> None:
    found = planned(
        tmp_path, "replace", "ip-login-1", spec={"platform": "parallelcluster"},
        nodes=(node(1, "login"),),
    )  # fmt: skip
    assert (len(found.wanted), found.drains_first) == (1, False)


def test_nodes_of_karpenter_are_not_replaced(tmp_path: Path) -> None:
    found = planned(tmp_path, "replace", "ip-workers-1", spec=ON_EKS, nodes=())
    assert "Karpenter ends its instance after kubectl delete node ip-workers-1" in (
        refusal(found) or ""
    )


def test_draining_on_kubernetes(tmp_path: Path) -> None:
    spec = ON_EKS
    found = planned(tmp_path, "drain", "ip-workers-1", spec=spec)
    assert (found.means, found.jobs_stop, found.actions[0].refused) == ("kubernetes", False, None)
    assert found.effects == ("Kubernetes schedules no new pod on the nodes; running pods go on",)
    cordoned = slurm(in_slurm(1, "READY", "SCHEDULING_DISABLED"))
    found = planned(tmp_path, "drain", "ip-workers-1", spec=spec, scheduler=cordoned)
    assert found.actions[0].unchanged == "it is drained already"
    found = planned(tmp_path, "resume", "ip-workers-1", spec=spec, scheduler=cordoned)
    assert len(found.wanted) == 1
    found = planned(tmp_path, "reboot", "ip-workers-1", spec=spec)
    assert found.effects[0] == "EC2 reboots the instances: jobs on them stop"


def _cluster(data: dict[str, Any]) -> Any:
    """Only traits are asked for; the small spec is not valid on every platform."""
    from types import SimpleNamespace

    from clusterwright.platforms.registry import traits_of

    traits = traits_of(data["platform"])
    return SimpleNamespace(
        traits=traits, on_hyperpod=traits.on_hyperpod, uses_slurm=traits.uses_slurm
    )
