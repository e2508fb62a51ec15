"""Tests of worlds.injections."""

from __future__ import annotations

import pytest

from clusterwright_localaws.worlds.injections import NodeFault, first_of
from clusterwright_localaws.worlds.loading import WorldError, parse_world

WORLD = """\
extends: generous
overrides:
  - service: sagemaker
    operation: DescribeCluster
    each: InstanceGroups
    match: {InstanceGroupName: workers}
    set: {ImageVersionStatus: EndOfLife}
node_faults:
  - {group: workers, number: 2, at: replacement, outcome: efa, times: 1}
log_lines:
  - {group: /aws/x, stream: y, lines: [one, two]}
"""


def test_file_with_injections_is_read_as_plain_values() -> None:
    world = parse_world(WORLD)
    (override,) = world.overrides
    assert type(override.set) is dict
    assert override.set == {"ImageVersionStatus": "EndOfLife"}
    assert world.node_faults == [
        NodeFault(group="workers", number=2, at="replacement", outcome="efa", times=1)
    ]
    assert world.log_lines[0].lines == ["one", "two"]


def test_mistake_in_an_override_has_its_position() -> None:
    with pytest.raises(WorldError) as caught:
        parse_world(WORLD.replace("EndOfLife", "Old"), "world.yaml")
    (problem,) = caught.value.problems
    assert problem.message.startswith("`overrides[0].set.ImageVersionStatus`: Value 'Old' at ''")
    assert (problem.file, problem.line) == ("world.yaml", 7)


def test_misspelt_field_has_a_suggestion() -> None:
    with pytest.raises(WorldError, match=r"no field `node_faults\[0\]\.outcom`.*`outcome`"):
        parse_world(WORLD.replace("outcome:", "outcom:"))


def test_first_of_drops_later_matches() -> None:
    assert first_of([True, False, True, True], 2) == [True, False, True, False]
    assert first_of([True, True], None) == [True, True]
