"""Versions of the inputs."""

from __future__ import annotations

import pytest

from clusterwright.catalog.building import inputs


def test_unknown_input_version_stops_the_generator(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inputs, "MOTO_VERSION", "0.0.1")
    with pytest.raises(SystemExit, match=r"generated from moto 0\.0\.1"):
        inputs.api_instance_types()
