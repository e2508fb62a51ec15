"""The context of a request: the values of condition keys.

https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_condition-keys.html
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

Values = Iterable[str] | str


class RequestContext(Mapping[str, "tuple[str, ...]"]):
    """Condition keys and their values; the case of a key does not matter.

    Only a key with several values in the request has more than one; a key that is present with
    none (an empty list of tag keys) has an empty tuple.
    """

    def __init__(self, values: Mapping[str, Values] | None = None) -> None:
        self._values: dict[str, tuple[str, ...]] = {}
        self._names: dict[str, str] = {}
        for key, value in (values or {}).items():
            self._values[key.lower()] = (value,) if isinstance(value, str) else tuple(value)
            self._names[key.lower()] = key

    def __getitem__(self, key: str) -> tuple[str, ...]:
        return self._values[key.lower()]

    def __contains__(self, key: object) -> bool:
        return isinstance(key, str) and key.lower() in self._values

    def __iter__(self) -> Iterator[str]:
        return iter(self._names.values())

    def __len__(self) -> int:
        return len(self._values)
