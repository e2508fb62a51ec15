"""Makes a process environment in which no AWS account can be reached by accident."""

from __future__ import annotations

import os
import sys
from collections.abc import MutableMapping
from pathlib import Path

_DROPPED_PREFIXES = ("AWS_", "CDK_", "CLUSTERWRIGHT_", "JSII_")
_DROPPED = (
    "ALL_PROXY",
    "CLICOLOR_FORCE",
    "FORCE_COLOR",
    "HTTPS_PROXY",
    "HTTP_PROXY",
    "VIRTUAL_ENV",
)
_KEPT = frozenset({"CLUSTERWRIGHT_FUZZ"})


def isolate(environment: MutableMapping[str, str]) -> None:
    """Remove variables of a developer's shell, and set those that every test relies on.

    The credentials are invalid; the configuration files are empty; the metadata service is off.
    The folder of this Python is first on PATH, so that tests run `clusterwright`, `cdk` and `node`
    of this environment.
    """
    for name in list(environment):
        if name in _KEPT:
            continue
        if name.startswith(_DROPPED_PREFIXES) or name.upper() in _DROPPED:
            del environment[name]
    programs = os.fspath(Path(sys.executable).parent)
    environment.update(
        {
            "AWS_ACCESS_KEY_ID": "testing",
            "AWS_SECRET_ACCESS_KEY": "testing",
            "AWS_CONFIG_FILE": os.devnull,
            "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
            "AWS_DEFAULT_REGION": "us-east-1",
            "AWS_EC2_METADATA_DISABLED": "true",
            "CLUSTERWRIGHT_LIVE_PRICES": "never",
            "NO_PROXY": "localhost,127.0.0.1,::1",
            "no_proxy": "localhost,127.0.0.1,::1",
            "NO_COLOR": "1",
            # Several test processes share the processors: one thread of V8 for collection and
            # compilation saves a quarter of the processor time of a synthesis.
            "NODE_OPTIONS": "--v8-pool-size=1",
            "COLUMNS": "100",
            "TZ": "UTC",
            "PATH": f"{programs}{os.pathsep}{environment.get('PATH', os.defpath)}",
        }
    )
    node = Path(programs) / "node"
    if node.exists():
        environment["JSII_NODE"] = os.fspath(node)
