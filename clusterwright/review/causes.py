"""Resources that change, grouped by the change that causes it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from clusterwright.review.results import EFFECTS, Cause, ResourceChange


def causes(resources: Sequence[ResourceChange]) -> tuple[Cause, ...]:
    """The causes of a change, worst first; each resource belongs to exactly one of them.

    A resource that follows several causes belongs to the worst of them.
    """
    known = {change.name: change for change in resources}
    groups: dict[tuple[object, ...], list[ResourceChange]] = {}
    for change in resources:
        if not any(name in known for name in change.follows):
            groups.setdefault(_alike(change), []).append(change)
    place = {change.name: key for key, own in groups.items() for change in own}
    following: dict[tuple[object, ...], list[ResourceChange]] = {key: [] for key in groups}
    ranks = {key: _rank(own) for key, own in groups.items()}
    for change in resources:
        if change.name in place:
            continue
        roots = [place[name] for name in _roots(change, known) if name in place]
        if roots:
            following[min(roots, key=lambda key: ranks[key])].append(change)
        else:  # resources that follow each other
            groups[(change.name,)] = [change]
            following[(change.name,)] = []
    found = [Cause(tuple(own), tuple(following[key])) for key, own in groups.items()]
    return tuple(sorted(found, key=lambda cause: _rank(cause.resources)))


def _roots(change: ResourceChange, known: dict[str, ResourceChange]) -> Iterable[str]:
    """The names of the causes that a resource follows, directly or not."""
    seen: set[str] = set()
    waiting = list(change.follows)
    while waiting:
        name = waiting.pop()
        if name in seen or name not in known:
            continue
        seen.add(name)
        waiting += known[name].follows
    return sorted(seen)


def _alike(change: ResourceChange) -> tuple[object, ...]:
    """What resources have in common that change for the same reason."""
    if change.ends or change.job_loss or change.protection_loss:
        return (change.name,)
    return (change.action, change.effect, change.reasons[:1])


def _rank(resources: Sequence[ResourceChange]) -> tuple[bool, int, str]:
    """Losses first, then the effect."""
    lost = any(c.data_loss or c.job_loss or c.protection_loss for c in resources)
    worst = max(EFFECTS.index(change.effect) for change in resources)
    return (not lost, -worst, resources[0].name)
