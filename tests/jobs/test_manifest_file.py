"""Reading of manifests: pods, numbers, texts that are no YAML; files that are correct."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clusterwright.jobs.manifest_file import ManifestError, read_manifests
from tests.jobs.made_manifests import TAINTED, check, fails, in_list, pod, pytorch_job

PIECES = [
    "kind: Job\n", "spec:\n", "  template:\n", "containers:\n", "- ", "{", "}", "[", "]", ": ",
    "\n---\n", "&a ", "*a", "!!str ", "!x ", "nvidia.com/gpu: 8", "$N", "{{ x }}", "\t", "|\n",
    "'", '"', "#", "%YAML 1.2\n", "? ", "replicas: ", "parallelism: 9", "limits: ",
    "resources: ", "\0",
    "tolerations: 1\n", "nodeSelector: []\n", "\n  ", "\n", "<<: *a\n", "items: ", "List\n",
    "size: 2\n", "workerTemplate: ", "leaderTemplate: ",
]  # fmt: skip


@given(st.lists(st.sampled_from(PIECES), max_size=30).map("".join))
def test_any_pieces_are_read_or_refused(text: str) -> None:
    with contextlib.suppress(ManifestError):
        check(text)


def test_templates_of_charts_are_refused_with_their_line() -> None:
    with pytest.raises(ManifestError) as caught:
        read_manifests(
            "kind: Job\nspec:\n  {{- if .Values.x }}\n  a: 1\n  {{- end }}\n", "job.yaml"
        )
    assert caught.value.line >= 3


def test_deeply_nested_and_multiplied_values_are_read() -> None:
    with pytest.raises(ManifestError):
        read_manifests("[" * 100_000, "job.yaml")
    lines = ["a0: &a0 {containers: []}"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 40)]
    assert read_manifests("\n".join(lines), "job.yaml").pods == ()


def test_pods_of_every_document() -> None:
    text = pytorch_job(pod(), 3) + "\n---\n# nothing\n---\n" + pytorch_job(pod(), "$N")
    found = read_manifests(text, "job.yaml").pods
    assert [(one.kind, one.count) for one in found] == [("PyTorchJob", 3), ("PyTorchJob", None)]


def test_a_correct_file_has_no_findings() -> None:
    assert check(pytorch_job(pod())).findings == ()


BASE = """kind: PyTorchJob
spec:
  runPolicy: {cleanPodPolicy: Running}
  pytorchReplicaSpecs:
    Master:
      template:
        spec: &base
          nodeSelector: {node.kubernetes.io/instance-type: TYPE}
          tolerations: [{operator: Exists}]
          containers:
            - &one
              name: pytorch
              resources: {limits: {nvidia.com/gpu: 8, vpc.amazonaws.com/efa: 32}}
              volumeMounts: [{name: shm, mountPath: /dev/shm}]
          volumes: [{name: shm, emptyDir: {medium: Memory}}]
    Worker:
      replicas: 7
      template:
        spec:
          <<: *base
          containers: [{<<: *one, name: worker}]
"""


def test_merge_keys_bring_the_values_of_a_mapping() -> None:
    correct = BASE.replace("TYPE", "p5.48xlarge")
    assert check(correct, TAINTED).findings == ()
    assert [one.count for one in read_manifests(correct, "job.yaml").pods] == [1, 7]
    several = correct.replace("<<: *one,", "<<: [{name: a}, *one],")
    assert check(several, TAINTED).findings == ()
    wrong = BASE.replace("TYPE", "g5.48xlarge").replace("&base\n", "&base\n          a: b\n")
    fails("CW-J071", wrong)
    # A value of the mapping itself comes before one that is merged.
    own = wrong.replace("<<: *base", "nodeSelector: {}\n          <<: *base")
    found = [f.position.line for f in check(own).findings if f.rule == "CW-J071" and f.position]
    assert found == [9]
    fails(
        "CW-J072", correct.replace("<<: *base", "tolerations: null\n          <<: *base"), TAINTED
    )


def test_a_quoted_merge_key_is_a_key() -> None:
    text = BASE.replace("TYPE", "p5.48xlarge").replace("<<: *base", '"<<": *base')
    fails("CW-J072", text, TAINTED)


def test_merge_keys_of_themselves_and_of_many_others_are_read() -> None:
    assert read_manifests("a: &a {<<: *a, kind: Job}\n", "job.yaml").pods == ()
    lines = ["a0: &a0 {x: {containers: [{name: a}]}}"]
    lines += [f"a{n}: &a{n} {{<<: [{', '.join([f'*a{n - 1}'] * 9)}]}}" for n in range(1, 200)]
    assert len(read_manifests("\n".join(lines), "job.yaml").pods) == 1


def test_items_of_lists_are_manifests() -> None:
    job = pytorch_job(pod())
    found = read_manifests(in_list(job, in_list(job)), "job.yaml")
    assert [one.get("kind").text for one in found.documents] == ["PyTorchJob"] * 2  # type: ignore[union-attr]
    assert [one.kind for one in found.pods] == ["PyTorchJob"] * 2
    lines = ["kind: List", "x-lists:", "- &a0 {kind: List, items: []}"]
    lines += [f"- &a{n} {{kind: List, items: [*a{n - 1}]}}" for n in range(1, 2000)]
    assert read_manifests("\n".join([*lines, "items: [*a1999]"]), "job.yaml").pods == ()


def test_a_helper_of_aliases_is_not_a_pod() -> None:
    text = f"x-pod: &pod {pod()}\nkind: Pod\nspec: *pod\n".replace("'", '"')
    assert [one.count for one in read_manifests(text, "job.yaml").pods] == [1]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("kind: Job\n", True),
        ("kind: $KIND\n", True),
        ("kind: {}\n", False),
        ("kind:\n", False),
        ("kind: ''\n", False),
        ("kind: List\nitems: []\n", False),
        ("a: b\n", False),
    ],
)
def test_objects_have_a_kind(text: str, expected: bool) -> None:
    assert read_manifests(text, "job.yaml").has_objects is expected
