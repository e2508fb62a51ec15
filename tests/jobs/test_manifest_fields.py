"""Fields of objects: kinds that are known, and those that are not."""

from __future__ import annotations

from clusterwright.jobs.manifest_fields import object_mistakes, pod_mistakes
from clusterwright.jobs.manifest_file import read_manifests


def test_only_kinds_of_the_schemas_are_known() -> None:
    text = "apiVersion: {0}\nkind: Job\nspec: {{replicas: 2}}\n"
    known = object_mistakes(read_manifests(text.format("batch/v1"), "a").documents[0])
    assert known is not None
    assert [one.message for one in known] == ["JobSpec has no field replicas"]
    assert object_mistakes(read_manifests(text.format("example/v1"), "a").documents[0]) is None


def test_the_specification_of_a_pod() -> None:
    (document,) = read_manifests("containers: [{name: a, gpu: 1}]", "a").documents
    assert [one.message for one in pod_mistakes(document)] == ["Container has no field gpu"]
