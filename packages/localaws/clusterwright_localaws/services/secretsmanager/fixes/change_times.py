"""moto's secrets have whole seconds; AWS's have three digits more, so that each change shows.

Recorded on AWS: docs/reference/probes.md, source `localstack`.
"""

from __future__ import annotations

from typing import Any

from clusterwright_localaws.core.runtime import runtime

MOTO_VERSION = "5.2.5"
DESCRIPTION = "Secrets Manager: times of creation and change have milliseconds"


def apply() -> None:
    from moto.secretsmanager.models import FakeSecret

    initialise = FakeSecret.__init__
    update = FakeSecret.update

    def __init__(self: Any, *arguments: Any, **named: Any) -> None:  # noqa: N807
        initialise(self, *arguments, **named)
        if runtime().active:
            self.created_date = self.last_changed_date = _now()

    def changed(self: Any, *arguments: Any, **named: Any) -> None:
        update(self, *arguments, **named)
        if runtime().active and named.get("last_changed_date") is not None:
            self.last_changed_date = _now()

    FakeSecret.__init__ = __init__  # type: ignore[method-assign]
    FakeSecret.update = changed  # type: ignore[method-assign]


def _now() -> float:
    return round(runtime().clock.now().timestamp(), 3)
