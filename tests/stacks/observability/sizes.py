"""Values that the tests in this folder share."""

from __future__ import annotations

GIB = 1024**3
