"""Two layers of YAML text become one, and the upper layer is recovered from the merged text."""

from __future__ import annotations

from clusterwright.migration.layers import flattened, upper_layer

BASE = """\
region: us-east-1
slurm:
  configuration: managed
  accounting: {kind: rds}
"""
TOP = """\
# Ours.
environment: dev
slurm:
  accounting: {kind: none}
"""


def test_inherited_keys_are_written_to_the_file() -> None:
    merged = flattened(TOP, BASE)
    assert "# Ours." in merged
    assert "region: us-east-1" in merged
    assert "configuration: managed" in merged
    assert "accounting: {kind: none}" in merged


def test_text_without_a_base_is_unchanged() -> None:
    assert flattened(TOP, None) == TOP
    assert upper_layer(TOP, None) == TOP


def test_values_equal_to_the_base_are_omitted() -> None:
    upper = upper_layer(flattened(TOP, BASE), BASE)
    assert "region" not in upper
    assert "configuration" not in upper
    assert "accounting: {kind: none}" in upper


def test_value_that_only_the_base_has_becomes_null() -> None:
    assert "region: null" in upper_layer("environment: dev\n", "region: us-east-1\n")
