"""Import a program of `programs/` as a node does: from its file, with its folder on the path."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

from tools.lint.files import ROOT

PROGRAMS = ROOT / "clusterwright/job_templates/programs"


def program(name: str, *beside: Path) -> ModuleType:
    """The module of `NAME.py`; `beside` are folders of modules that lie beside it in a job."""
    sys.path[:0] = [str(folder) for folder in beside]
    try:
        spec = importlib.util.spec_from_file_location(f"program_{name}", PROGRAMS / f"{name}.py")
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module
    finally:
        for folder in beside:
            sys.path.remove(str(folder))
