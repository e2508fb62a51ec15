"""The end of purchased capacity, which no exporter knows: it is given with --capacity-ends.

Sources: EC2 user guide, "Capacity Blocks for ML": instances are terminated from 30 minutes before
the end (UltraServers: 60 minutes), and EventBridge has an event 40 minutes before it.
"""

from __future__ import annotations

from typing import Final

from clusterwright.alerts.alert import Alert

_WITHOUT: Final = "It compares the time with the end, and needs no samples."
_CAPACITY: Final = "clusterwright capacity @FILE@"
_STEPS: Final = (
    "`capacity` shows the purchase, what it holds and its successors; see [replace nodes before "
    "capacity ends](replace-nodes-before-capacity-ends.md).",
    "Let the job write a checkpoint before the end, and set its time limit "
    "(`clusterwright check-job --capacity-ends`).",
)

ALERTS: Final = (
    Alert(
        name="CapacityEndsInOneDay",
        severity="warning",
        for_minutes=0,
        threshold="24 hours before the end",
        reason="Until now the purchase can be extended or a successor bought.",
        summary="Purchased capacity of @CLUSTER@ ends within 24 hours",
        expression="(vector(time()) >= @END@ - 86400) < @END@",
        needs=("capacity-end",),
        without_data="none",
        reason_without_data=_WITHOUT,
        commands=(_CAPACITY,),
        steps=_STEPS,
    ),
    Alert(
        name="CapacityEndsInTwoHours",
        severity="critical",
        for_minutes=0,
        threshold="2 hours before the end",
        reason="Jobs that do not end themselves are killed.",
        summary="Purchased capacity of @CLUSTER@ ends within 2 hours",
        expression="(vector(time()) >= @END@ - 7200) < @END@",
        needs=("capacity-end",),
        without_data="none",
        reason_without_data=_WITHOUT,
        commands=(_CAPACITY,),
        steps=_STEPS,
    ),
    Alert(
        name="CapacityEndsInMinutes",
        severity="critical",
        for_minutes=0,
        threshold="40 minutes before the end (UltraServers: 70 minutes)",
        reason="Within 10 minutes EC2 begins to terminate instances.",
        summary="EC2 terminates instances of @CLUSTER@ within 10 minutes",
        expression="(vector(time()) >= @END@ - 60 * @LAST@) < @END@",
        needs=("capacity-end",),
        without_data="none",
        reason_without_data=_WITHOUT,
        commands=(_CAPACITY,),
        steps=_STEPS,
    ),
)
