"""The Kubernetes API's view of a cluster, read with the user's `kubectl`.

Clusterwright has no Kubernetes client of its own: credentials of the Kubernetes API come from the
user's kubeconfig, whose plug-ins (`aws eks get-token` and others) only kubectl runs. The context
is the one whose server is the endpoint that EKS reports, so that another cluster's context is
never used. Here only `kubectl get` and `kubectl config view` are called.
"""

from __future__ import annotations

import datetime as dt
import json
import re
import shutil
import subprocess
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

from pydantic import ValidationError

from clusterwright.cluster_state.not_read import NotRead
from clusterwright.cluster_state.published import (
    AcceptanceState,
    NodeAcceptance,
    NodeHistory,
    SchedulerNode,
    SchedulerState,
    SchedulerView,
)
from clusterwright.platforms.eks.launch_templates import GROUP_LABEL
from clusterwright.platforms.kubernetes.groups import ACCEPTANCE_TAINT, LAYERS

HYPERPOD_GROUP_LABEL: Final = "sagemaker.amazonaws.com/instance-group-name"
_HEALTH_LABEL: Final = "sagemaker.amazonaws.com/node-health-status"
_ACCEPTANCE: Final = "clusterwright.dev/acceptance"
"""The annotation with the result (`clusterwright_acceptance.kubernetes_nodes`)."""
_HISTORY: Final = "clusterwright.dev/history"
"""The annotation with the faults of weeks (`clusterwright_acceptance.kubernetes_histories`)."""
_LONGEST_ANNOTATION: Final = 256 * 1024
"""Kubernetes, "Annotations": of all annotations of an object together, in bytes."""
INSTANCE: Final = re.compile(r"i-[0-9a-zA-Z]+$")
"""The end of a provider's id (`clusterwright_acceptance.kubernetes_histories` has it, too)."""
_STATES: Final[Mapping[str, AcceptanceState]] = {"accepted": "accepted", "rejected": "rejected"}
_TIME_LIMIT_SECONDS: Final = 15
_WHAT: Final = "the Kubernetes API's view"

Kubectl = Callable[..., str]
"""Runs kubectl with arguments, and with a text as input if there is a second one, and returns its
output; raises KubectlFailed."""


class KubectlFailed(Exception):
    """kubectl is missing, failed, or took too long."""


def kubernetes_view(
    environment: str,
    endpoint: str | None,
    region: str,
    *,
    now: dt.datetime,
    kubectl: Kubectl | None = None,
) -> SchedulerView:
    """Nodes and jobs from the Kubernetes API of the control plane at `endpoint`.

    Nothing is raised: without kubectl, or without a context for the endpoint, the view is unknown.
    """
    run = kubectl or run_kubectl
    if endpoint is None:
        return _unknown("the control plane has no endpoint yet")
    try:
        context = context_of(run, endpoint)
        if context is None:
            return _unknown(
                f"no context of the kubeconfig has the server {endpoint}",
                f"aws eks update-kubeconfig --name {environment} --region {region}",
            )
        words = ["--context", context, "--request-timeout=10s", "get"]
        nodes = _items(run([*words, "nodes", "--output=json"]))
        jobs = _items(run([*words, "jobs", "--all-namespaces", "--output=json"]))
    except KubectlFailed as error:
        return _unknown(str(error))
    taints = {_name(node): _acceptance(node) for node in nodes}
    histories = {_name(node): _history(node) for node in nodes}
    state = SchedulerState(
        schema_version=1,
        environment=environment,
        written_at=now,
        nodes=tuple(_node(node) for node in nodes),
        jobs=dict(Counter(_job_state(job) for job in jobs)),
        acceptance={name: found for name, found in taints.items() if found is not None},
        history={name: found for name, found in histories.items() if found is not None} or None,
    )
    return SchedulerView(state, None)


def run_kubectl(arguments: Sequence[str], given: str = "") -> str:
    """Run kubectl; `given` is its input.

    Raises
    ------
    KubectlFailed
        It is not installed, fails, or takes longer than 15 seconds.
    """
    program = shutil.which("kubectl")
    if program is None:
        raise KubectlFailed("kubectl is not installed")
    try:
        done = subprocess.run(
            [program, *arguments],
            input=given,
            capture_output=True,
            text=True,
            timeout=_TIME_LIMIT_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise KubectlFailed(f"kubectl took longer than {_TIME_LIMIT_SECONDS} s") from None
    except (OSError, UnicodeDecodeError) as error:
        raise KubectlFailed(f"kubectl did not run: {error}") from None
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["no message"])[-1]
        raise KubectlFailed(f"kubectl failed: {last[:300]}")
    return done.stdout


def _unknown(reason: str, hint: str | None = None) -> SchedulerView:
    return SchedulerView(None, NotRead(_WHAT, reason, hint))


def context_of(run: Kubectl, endpoint: str) -> str | None:
    """The context for a server; the current one if several have it; None without one.

    Raises KubectlFailed.
    """
    config = _json(run(["config", "view", "--output=json"]))
    wanted = endpoint.rstrip("/").lower()
    clusters = {
        entry.get("name")
        for entry in config.get("clusters") or ()
        if str((entry.get("cluster") or {}).get("server", "")).rstrip("/").lower() == wanted
    }
    contexts = [
        str(entry.get("name"))
        for entry in config.get("contexts") or ()
        if (entry.get("context") or {}).get("cluster") in clusters
    ]
    current = config.get("current-context")
    return str(current) if current in contexts else next(iter(contexts), None)


def _json(text: str) -> Mapping[str, Any]:
    try:
        found = json.loads(text)
    except ValueError as error:
        raise KubectlFailed(f"kubectl did not print JSON: {error}") from None
    if not isinstance(found, Mapping):
        raise KubectlFailed("kubectl did not print a JSON object")
    return found


def _items(text: str) -> list[Mapping[str, Any]]:
    found = _json(text).get("items")
    if not isinstance(found, list):
        raise KubectlFailed("kubectl did not print a list")
    return [item for item in found if isinstance(item, Mapping)]


def _name(item: Mapping[str, Any]) -> str:
    return str((item.get("metadata") or {}).get("name", ""))


def _node(item: Mapping[str, Any]) -> SchedulerNode:
    metadata = item.get("metadata") or {}
    labels = metadata.get("labels") or {}
    words = list(_states(item))
    reason = "; ".join(
        str(condition.get("message"))
        for condition in _wrong_conditions(item)
        if condition.get("message")
    )
    return SchedulerNode(
        name=_name(item),
        group=labels.get(GROUP_LABEL) or labels.get(HYPERPOD_GROUP_LABEL),
        instance_id=_instance_id(item),
        states=tuple(words),
        boot_id=_boot_id(item),
        switch_path=_network(labels),
        reason=reason or None,
        reason_at=next(
            (_time(condition.get("lastTransitionTime")) for condition in _wrong_conditions(item)),
            None,
        ),
    )


def _instance_id(item: Mapping[str, Any]) -> str | None:
    found = INSTANCE.search(str((item.get("spec") or {}).get("providerID", "")))
    return found.group() if found is not None else None


def _network(labels: Mapping[str, Any]) -> tuple[str, ...] | None:
    """The network nodes from the top down; None without labels."""
    found: list[str] = []
    while (name := labels.get(LAYERS.format(len(found) + 1))) is not None:
        found.append(str(name))
    return tuple(found) or None


def _states(item: Mapping[str, Any]) -> Iterator[str]:
    spec = item.get("spec") or {}
    labels = (item.get("metadata") or {}).get("labels") or {}
    ready = next(
        (
            condition.get("status")
            for condition in (item.get("status") or {}).get("conditions") or ()
            if condition.get("type") == "Ready"
        ),
        None,
    )
    yield "READY" if ready == "True" else "NOT_READY"
    if spec.get("unschedulable"):
        yield "SCHEDULING_DISABLED"
    health = labels.get(_HEALTH_LABEL)
    if health and health != "Schedulable":
        yield str(health).upper()


def _wrong_conditions(item: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Ready that is not true, and pressures and problems that are."""
    for condition in (item.get("status") or {}).get("conditions") or ():
        if (condition.get("type") == "Ready") != (condition.get("status") == "True"):
            yield condition


def _acceptance(item: Mapping[str, Any]) -> NodeAcceptance | None:
    """By the taint of a node that is held, else by the result of the test of this boot."""
    states: dict[str, AcceptanceState] = {"pending": "new", "away": "new", "rejected": "rejected"}
    result = _result(item)
    for taint in (item.get("spec") or {}).get("taints") or ():
        if taint.get("key") == ACCEPTANCE_TAINT:
            state = states.get(str(taint.get("value")), "unknown")
            return _accepted(state, result)
    state = _STATES.get(str(result.get("state")), "unknown")
    return _accepted(state, result) if result else None


def _accepted(state: AcceptanceState, result: Mapping[str, Any]) -> NodeAcceptance:
    reason, action = (str(result.get(key) or "") or None for key in ("reason", "action"))
    return NodeAcceptance(state=state, reason=reason, action=action)


def _history(item: Mapping[str, Any]) -> NodeHistory | None:
    """What the controller says of the instance's faults; None without it, and for another one."""
    text = ((item.get("metadata") or {}).get("annotations") or {}).get(_HISTORY)
    if not isinstance(text, str) or len(text) > _LONGEST_ANNOTATION:
        return None
    try:
        found = NodeHistory.model_validate_json(text)
    except ValidationError:
        return None
    return found if found.instance_id == _instance_id(item) else None


def _result(item: Mapping[str, Any]) -> Mapping[str, Any]:
    """The result in the annotation; empty without one, and for another boot."""
    text = ((item.get("metadata") or {}).get("annotations") or {}).get(_ACCEPTANCE)
    try:
        found = json.loads(text or "{}")
    except (ValueError, TypeError):
        return {}
    same_boot = isinstance(found, Mapping) and found.get("boot_id") == _boot_id(item)
    return found if same_boot else {}


def _boot_id(item: Mapping[str, Any]) -> str | None:
    return ((item.get("status") or {}).get("nodeInfo") or {}).get("bootID")


def _job_state(item: Mapping[str, Any]) -> str:
    status = item.get("status") or {}
    for condition in status.get("conditions") or ():
        if condition.get("status") == "True" and condition.get("type") in ("Complete", "Failed"):
            return "COMPLETED" if condition["type"] == "Complete" else "FAILED"
    if (item.get("spec") or {}).get("suspend"):
        return "SUSPENDED"
    return "RUNNING" if status.get("active") else "PENDING"


def _time(text: Any) -> dt.datetime | None:
    try:
        return dt.datetime.fromisoformat(str(text).replace("Z", "+00:00"))
    except ValueError:
        return None
