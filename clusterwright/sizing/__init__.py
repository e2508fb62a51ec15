"""From a training goal to a cluster: memory, layout, time, reliability. Pure: no I/O.

The door is `estimate.plan(goal, catalog)`; `docs/designs/sizing.md` has the map of the modules.
Modules are imported where they are needed: numpy costs a quarter of a second.
"""

from __future__ import annotations

from clusterwright.sizing.errors import GoalError

__all__ = ["GoalError"]
