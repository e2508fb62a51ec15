"""Jobs of Kubernetes for the tests of nodes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from clusterwright_acceptance.kubernetes_launcher import KubernetesLauncher

from tests.nodes.acceptance.fake_kubernetes import (
    NAMESPACE,
    Answer,
    FakeKubernetes,
    node,
    template,
)


def launcher(api: FakeKubernetes, *times: float) -> KubernetesLauncher:
    clock: Iterator[float] = iter(times)
    return KubernetesLauncher(
        api,
        NAMESPACE,
        template("workers")["spec"]["jobTemplate"]["spec"],
        sleep=lambda _: None,
        clock=lambda: next(clock, 0.0),
        new_name=lambda: "test-1",
    )


def run(one: KubernetesLauncher, *nodes: str) -> Any:
    argv = ["/usr/bin/python3", "-V"]
    return one.run(nodes, argv, tasks_per_node=1, timeout_seconds=60.0, env={"X": "1"})


def test_outputs_have_the_index_of_their_pod_and_the_job_is_deleted() -> None:
    said = {"a": (0, "one\ntwo\n", ""), "b": (0, "three\n", "warning")}
    api = FakeKubernetes([node("a"), node("b")], lambda name, _: said[name])
    done = run(launcher(api), "a", "b")
    assert (done.exit_code, done.lost, done.started) == (0, (), True)
    assert done.stdout == "0: one\n0: two\n1: three\n"
    assert done.stderr == "1: warning\n"
    assert api.jobs == {}
    (job,) = api.created
    assert job["spec"]["completions"] == job["spec"]["parallelism"] == 2
    container = job["spec"]["template"]["spec"]["containers"][0]
    assert container["command"][-2:] == ["python3", "-V"]
    assert {"name": "MASTER_ADDR", "value": f"test-1-0.acceptance.{NAMESPACE}.svc"} in (
        container["env"]
    )


def test_a_failed_pod_has_its_code_and_message() -> None:
    answer: Answer = (127, "", "sh: python3: not found\n")
    api = FakeKubernetes([node("a")], lambda *_: answer)
    done = run(launcher(api), "a")
    assert (done.exit_code, done.stderr, done.lost) == (127, "0: sh: python3: not found\n", ())
    assert done.started


def test_a_busy_node_is_not_started() -> None:
    api = FakeKubernetes([node("a")], lambda *_: None)
    done = run(launcher(api, 0.0, 10.0, 1000.0), "a")
    assert done.exit_code
    assert not done.started
    assert done.stderr == "0/3 nodes are available: insufficient nvidia.com/gpu"
    assert api.jobs == {}


def test_a_node_that_is_not_ready_any_more_is_lost() -> None:
    api = FakeKubernetes([node("a", ready=False)], lambda *_: (137, "", ""))
    assert run(launcher(api), "a").lost == ("a",)


def test_a_test_that_does_not_end_is_hung(monkeypatch: pytest.MonkeyPatch) -> None:
    api = FakeKubernetes([node("a")], lambda *_: (0, "", ""))
    running = {"metadata": {"name": "p"}, "status": {"phase": "Running"}}
    monkeypatch.setattr(api, "_pods", lambda _: [running])
    done = run(launcher(api, 0.0, 1.0, 2.0, 3.0, 100.0), "a")
    assert done.exit_code is None
    assert api.jobs == {}


def test_a_test_whose_pod_is_deleted_says_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    api = FakeKubernetes([node("a")], lambda *_: (0, "", ""))
    running = {"metadata": {"name": "p"}, "status": {"phase": "Running"}}
    answers = iter([[running]])
    monkeypatch.setattr(api, "_pods", lambda _: next(answers, []))
    done = run(launcher(api, 0.0, 1.0), "a")
    assert (done.started, done.lost) == (False, ())
    assert done.stderr == "a pod of the test was deleted"
    assert api.jobs == {}


def test_an_api_that_refuses_is_no_test(monkeypatch: pytest.MonkeyPatch) -> None:
    api = FakeKubernetes([node("a")], lambda *_: (0, "", ""))
    monkeypatch.setattr(api, "create", api.get)
    monkeypatch.setattr(api, "create", lambda *_: api.patch("/api/v1/nodes/none", {}))
    done = run(launcher(api), "a")
    assert not done.started
    assert done.stderr == "the Kubernetes API: none not found"


def test_several_tasks_on_a_node_are_refused() -> None:
    api = FakeKubernetes([node("a")], lambda *_: (0, "", ""))
    with pytest.raises(ValueError, match="one process"):
        launcher(api).run(["a"], ["x"], tasks_per_node=8, timeout_seconds=1.0, env={})


def test_the_all_reduce_has_its_own_program() -> None:
    api = FakeKubernetes([], lambda *_: None)
    assert launcher(api).allreduce_argv((512, 1024), 8)[-3:] == [
        "clusterwright_acceptance.ranks",
        "512,1024",
        "8",
    ]
