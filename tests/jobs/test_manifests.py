"""Reading of manifests: pods, numbers, texts that are no YAML; files that are correct."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clusterwright.jobs.manifest_file import ManifestError, read_manifests
from tests.jobs.made_manifests import check, pod, pytorch_job

PIECES = [
    "kind: Job\n", "spec:\n", "  template:\n", "containers:\n", "- ", "{", "}", "[", "]", ": ",
    "\n---\n", "&a ", "*a", "!!str ", "!x ", "nvidia.com/gpu: 8", "$N", "{{ x }}", "\t", "|\n",
    "'", '"', "#", "%YAML 1.2\n", "? ", "replicas: ", "parallelism: 9", "limits: ",
    "resources: ", "\0",
    "tolerations: 1\n", "nodeSelector: []\n", "\n  ", "\n",
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
