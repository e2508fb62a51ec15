"""Two layers of YAML text become one, and the upper layer comes back from the merged text."""

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


def test_the_upper_file_gets_the_keys_that_it_takes_from_the_base() -> None:
    merged = flattened(TOP, BASE)
    assert "# Ours." in merged
    assert "region: us-east-1" in merged
    assert "configuration: managed" in merged
    assert "accounting: {kind: none}" in merged


def test_without_a_base_the_text_stays() -> None:
    assert flattened(TOP, None) == TOP
    assert upper_layer(TOP, None) == TOP


def test_equal_values_are_left_out_again() -> None:
    upper = upper_layer(flattened(TOP, BASE), BASE)
    assert "region" not in upper
    assert "configuration" not in upper
    assert "accounting: {kind: none}" in upper


def test_a_value_that_is_missing_above_the_base_becomes_null() -> None:
    assert "region: null" in upper_layer("environment: dev\n", "region: us-east-1\n")
