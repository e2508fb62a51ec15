"""Whether tolerations of a manifest tolerate a taint.

Kubernetes documentation, Taints and Tolerations: key, operator, value and effect. What a program
fills in counts as tolerated.
"""

from __future__ import annotations

from collections.abc import Iterable

from clusterwright.cluster_spec.models.compute import Taint
from clusterwright.jobs.manifest_file import Item


def tolerated(taint: Taint, tolerations: Iterable[Item]) -> bool:
    """Whether one of the tolerations tolerates the taint."""
    return any(_tolerates(one, taint) for one in tolerations)


def named(taint: Taint) -> str:
    """The taint as kubectl writes it: `KEY=VALUE:EFFECT`."""
    value = f"={taint.value}" if taint.value is not None else ""
    return f"{taint.key}{value}:{taint.effect}"


def _tolerates(toleration: Item, taint: Taint) -> bool:
    if not any(True for _ in toleration.entries()):
        return True  # filled in by a program
    key, effect = toleration.get("key"), toleration.get("effect")
    if effect is not None and effect.text not in (None, "", taint.effect):
        return False
    if key is not None and key.text not in (None, "", taint.key):
        return False
    operator = toleration.get("operator")
    if operator is not None and operator.text in (None, "Exists"):
        return True
    value = toleration.get("value")
    text = value.text if value is not None else ""
    return key is not None and text in (None, taint.value or "")
