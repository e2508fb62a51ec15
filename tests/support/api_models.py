"""API models of boto3's sessions, read once per test process: each session reads them again."""

from __future__ import annotations

import functools
from typing import Any

import boto3.session
from botocore.loaders import Loader


@functools.cache
def shared_loader() -> Loader:
    """The loader of all sessions of boto3; it keeps what it has read.

    Sessions of botocore have their own: `clusterwright.aws` changes its loader. So has moto, which
    changes the models.
    """
    return Loader()


def _setup_loader(session: Any) -> None:
    session._session.register_component("data_loader", shared_loader())
    paths = shared_loader().search_paths
    before = list(paths)
    _of_boto3(session)
    # boto3 appends its own path for every session.
    paths[:] = dict.fromkeys([*before, *paths])


_of_boto3: Any = boto3.session.Session._setup_loader
boto3.session.Session._setup_loader = _setup_loader
