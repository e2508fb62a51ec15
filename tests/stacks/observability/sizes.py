"""Shared values of the tests in this folder."""

from __future__ import annotations

GIB = 1024**3
