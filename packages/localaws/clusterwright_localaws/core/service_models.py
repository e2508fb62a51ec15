"""botocore's API models, read once per process: EC2's alone takes 25 MB of memory."""

from __future__ import annotations

import functools
from typing import Any


@functools.cache
def loader() -> Any:
    """Return the loader that the local AWS's clients share; it caches what it has read.

    moto has a separate loader with changes to the models: see `wire.service_model`.
    """
    from botocore.loaders import create_loader

    return create_loader()
