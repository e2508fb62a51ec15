"""The rehearsal: emulated nodes behind the local AWS, and scenarios with promises.

`rehearse(request, progress)` deploys a spec, runs scenarios and returns a `Verdict`. Scenario
files import `clusterwright_rehearsal.scenario_api`. Everything else is internal.
"""

from __future__ import annotations

from typing import Any

__all__ = ["RehearsalError", "Request", "Verdict", "rehearse"]

_MODULES = {
    "RehearsalError": "errors",
    "Request": "rehearsal",
    "Verdict": "verdict",
    "rehearse": "rehearsal",
}


def __getattr__(name: str) -> Any:
    """Import public names on first use, so that `clusterwright rehearse --help` stays fast."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
