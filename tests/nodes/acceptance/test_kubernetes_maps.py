"""Content in ConfigMaps."""

from __future__ import annotations

import pytest
from clusterwright_acceptance import kubernetes_maps
from clusterwright_acceptance.kubernetes_api import KubernetesError
from clusterwright_acceptance.kubernetes_maps import Maps

from tests.nodes.acceptance.fake_kubernetes import NAMESPACE, FakeKubernetes


def maps() -> Maps:
    return Maps(FakeKubernetes([], lambda *_: None), NAMESPACE)


def test_content_is_read_as_it_was_saved() -> None:
    found = maps()
    assert found.versioned("m") == ({}, None)
    found.save("m", {"a": 1}, {"kept": "true"})
    found.save("m", {"a": 2}, {"kept": "true"})
    assert found.read("m") == {"a": 2}
    assert found.names("kept") == ["m"]
    found.delete("m")
    assert found.read("m") == {}


def test_a_version_that_others_have_changed_is_refused() -> None:
    found = maps()
    found.replace("m", kubernetes_maps.packed({"a": 1}), None)
    _, version = found.versioned("m")
    found.replace("m", kubernetes_maps.packed({"a": 2}), version)
    for old in (version, None):
        with pytest.raises(KubernetesError) as refused:
            found.replace("m", kubernetes_maps.packed({"a": 3}), old)
        assert refused.value.code == 409
    assert found.read("m") == {"a": 2}
