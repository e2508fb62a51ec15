"""Client tokens: a call with the token of an earlier one has no further effect."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Final, TypeVar

from clusterwright_localaws.core.errors import AwsError
from clusterwright_localaws.core.runtime import Runtime

T = TypeVar("T")

# The services do not say when their tokens end. Here, the oldest ones end when there are too many.
_MOST_KEPT: Final = 10_000
_MOST_BYTES: Final = 64 * 1024 * 1024


@dataclass
class _First:
    """The first call with a token, and its result once it succeeded."""

    digest: str = ""
    result: Any = None
    at: datetime | None = None
    lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def size(self) -> int:
        body = self.result[-1] if isinstance(self.result, tuple) else ""
        return len(body) if isinstance(body, (str, bytes)) else 0


def once(
    runtime: Runtime,
    whose: tuple[str, str, str],
    key: Hashable,
    request: Mapping[str, Any],
    make: Callable[[], T],
    *,
    mismatch: Callable[[], AwsError] | None,
    is_kept: Callable[[T], bool] = lambda _: True,
    lasts: timedelta | None = None,
) -> tuple[T, bool]:
    """Return the result of the first call with a token, and whether this call repeats it.

    Parameters
    ----------
    whose:
        The service, the account and the Region, which have tokens of their own.
    key:
        The token, with what else tells calls apart, such as the operation.
    request:
        The parameters that are the same in a repeated call.
    mismatch:
        The refusal of a token that was used with other parameters; None where the service does
        not document one: the result of the first call is returned.
    is_kept:
        Whether a result is that of a call that succeeded and whose resource exists.
    lasts:
        How long a token is valid; None for as long as it is kept.

    Raises
    ------
    AwsError
        The refusal of a mismatch, or that of `make`, after which the token is unused.
    """
    service, account, region = whose
    digest = hashlib.sha256(json.dumps(request, sort_keys=True, default=str).encode()).hexdigest()
    kept = runtime.store(f"{service}-client-tokens", account, region, dict[Any, _First])
    while True:
        with runtime.lock:
            first = kept.setdefault(key, _First())
        with first.lock:  # a second call waits for the first
            if kept.get(key) is not first:
                continue  # the first one was refused, after which another may have begun
            now = runtime.clock.now()
            ended = first.at is None or (lasts is not None and now - first.at > lasts)
            if not ended and is_kept(first.result):
                if first.digest != digest and mismatch is not None:
                    raise mismatch()
                return first.result, True
            first.at = None
            try:
                result = make()
                if is_kept(result):
                    first.digest, first.result, first.at = digest, result, now
            finally:
                with runtime.lock:
                    if first.at is None:
                        kept.pop(key, None)
                    _forget_oldest(kept)
            return result, False


def _forget_oldest(kept: dict[Any, _First]) -> None:
    """Forget the oldest calls beyond the limits, except those that have not ended."""
    size = sum(one.size for one in kept.values())
    count = len(kept)
    if count <= _MOST_KEPT and size <= _MOST_BYTES:
        return
    for key, one in [(key, one) for key, one in kept.items() if one.at is not None]:
        if count <= _MOST_KEPT and size <= _MOST_BYTES:
            return
        del kept[key]
        count, size = count - 1, size - one.size
