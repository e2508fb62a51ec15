"""A cluster deployed to the local AWS, which the operating commands read."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.support.deployed_cluster import Deployed, deployed_cluster
from tests.support.rich_specs import ACCOUNT
from tests.support.synthesis import Assembly


@pytest.fixture(scope="module")
def deployed(
    request: pytest.FixtureRequest,
    tmp_path_factory: pytest.TempPathFactory,
    synth: Callable[[str | Path], Assembly],
) -> Iterator[Deployed]:
    """The cluster of the module's spec `BASE`, deployed once for its tests."""
    path = tmp_path_factory.mktemp("deployed") / "test.yaml"
    path.write_text(json.dumps(request.module.BASE))
    with deployed_cluster(path, synth(path)) as found:
        yield found


@pytest.fixture
def in_account(
    request: pytest.FixtureRequest,
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Calls are made in the account of the spec; the module's tests share a cache."""
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", ACCOUNT)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "local")
    folder = tmp_path_factory.getbasetemp() / f"{request.module.__name__}-cache"
    monkeypatch.setenv("CLUSTERWRIGHT_CACHE", os.fspath(folder))
