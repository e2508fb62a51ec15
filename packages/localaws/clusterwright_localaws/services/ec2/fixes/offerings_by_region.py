"""moto reads the instance-type offerings of every region when EC2 is imported."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath
from typing import Any, overload

MOTO_VERSION = "5.2.5"
DESCRIPTION = (
    "EC2: a region's instance-type offerings are read when they are first requested, not those of "
    "all regions at the import (50 MB of memory)"
)

_FOLDER = "ec2/resources/instance_type_offerings/"


def apply() -> None:
    """Must be called before moto's EC2 is imported; does nothing afterwards."""
    from moto.utilities import utils

    if "moto.ec2.models.instance_types" in sys.modules or hasattr(utils, "_clusterwright_read"):
        return
    read = utils.load_resource

    def load_resource(resource: str) -> Any:
        return Offerings(resource, read) if _FOLDER in resource else read(resource)

    utils._clusterwright_read = read  # type: ignore[attr-defined]
    utils.load_resource = load_resource


class Offerings(Sequence[dict[str, str]]):
    """The offerings in one file, read at the first use."""

    def __init__(self, resource: str, read: Any) -> None:
        self._resource = resource
        self._read = read
        self._found: list[dict[str, str]] | None = None
        # The import iterates over every file once, to record what `_entries` records.
        self._imported = False
        self._lock = threading.Lock()

    def __iter__(self) -> Iterator[dict[str, str]]:
        if not self._imported:
            self._imported = True
            return iter(())
        return iter(self._entries())

    def __len__(self) -> int:
        return len(self._entries())

    @overload
    def __getitem__(self, index: int) -> dict[str, str]: ...
    @overload
    def __getitem__(self, index: slice) -> list[dict[str, str]]: ...
    def __getitem__(self, index: int | slice) -> dict[str, str] | list[dict[str, str]]:
        return self._entries()[index]

    def _entries(self) -> list[dict[str, str]]:
        with self._lock:
            if self._found is None:
                location_type = PurePosixPath(self._resource).parent.name
                # One string object for each name: the files repeat them thousands of times.
                self._found = [
                    {
                        **{sys.intern(name): sys.intern(text) for name, text in entry.items()},
                        "LocationType": location_type,
                    }
                    for entry in self._read(self._resource)
                ]
            return self._found
