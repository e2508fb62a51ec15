"""From a training goal to a cluster: memory, layout, time, reliability. Pure: no I/O.

Entry points are `report.build_report` and `estimate.plan`; `docs/designs/sizing.md` lists the
modules. Import modules where they are needed: numpy takes a quarter of a second to import.
"""

from __future__ import annotations

from clusterwright.sizing.errors import GoalError

__all__ = ["GoalError"]
