"""The Python of the environment with aws-parallelcluster, which the local AWS uses."""

from __future__ import annotations

import pytest

from clusterwright_localaws.testing import PCLUSTER_PYTHON
from tools.setup import clients


@pytest.fixture(scope="session")
def pcluster_python() -> str:
    """Its path; the environment is built here if `make test` did not."""
    clients.bring_up_to_date(["pcluster"])
    return str(clients.program("pcluster").with_name("python"))


@pytest.fixture
def validated_by_pcluster(pcluster_python: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Makes the local AWS of this process validate configurations."""
    monkeypatch.setenv(PCLUSTER_PYTHON, pcluster_python)
