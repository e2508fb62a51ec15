"""botocore's API models, read once per process: EC2's alone takes 25 MB of memory."""

from __future__ import annotations

import functools
from typing import Any


@functools.cache
def loader() -> Any:
    """The loader that our own clients share; it keeps what it has read.

    moto has one of its own, with changes of its own: see `wire.service_model`.
    """
    from botocore.loaders import create_loader

    return create_loader()
