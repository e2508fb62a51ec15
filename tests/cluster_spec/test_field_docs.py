"""Descriptions of fields, read from docstrings."""

from __future__ import annotations

import pytest
from pydantic import BaseModel

from clusterwright.cluster_spec.field_docs import docstrings


class Explained(BaseModel):
    first: int
    """What the first
    is."""

    second: int = 2
    """Second."""


class Unexplained(BaseModel):
    first: int
    """Known."""

    second: int


def test_docstrings_below_fields_are_read() -> None:
    assert docstrings(Explained) == {"first": "What the first is.", "second": "Second."}


def test_field_without_a_docstring_is_reported() -> None:
    with pytest.raises(LookupError, match="Unexplained: no docstring below second"):
        docstrings(Unexplained)
