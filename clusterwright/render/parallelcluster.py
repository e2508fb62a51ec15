"""A ParallelCluster configuration as YAML, with a comment at every placeholder."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from clusterwright.render.spec import Path, spec_yaml

HEADING = """\
# Rendered by `clusterwright render parallelcluster` for ParallelCluster {version}.
#
#   pcluster create-cluster --cluster-name {name} --cluster-configuration FILE --dryrun true
#
# If `cdk deploy` created the cluster, CloudFormation owns it: use pcluster only to read it.
"""

LACKING = """\
#
# {count} placeholders, each marked: AWS refuses the file until they are set. See --outputs, --set.
"""

ELSEWHERE = """\
#
# {path} is not listed: the node program mounts the Lustre file system {name} over EFA.
"""


def configuration_yaml(
    configuration: Mapping[str, Any],
    *,
    name: str,
    version: str,
    placeholders: Mapping[str, tuple[str, Sequence[str]]],
    elsewhere: Mapping[str, str],
) -> str:
    """The file, in ParallelCluster's order.

    Parameters
    ----------
    placeholders:
        Name of a value -> its origin, and its placeholder texts.
    elsewhere:
        File system that is not in the configuration -> its mount path.
    """
    texts = {
        text: f"placeholder for {supplied}: {origin}"
        for supplied, (origin, stands) in placeholders.items()
        for text in stands
    }
    notes = {path: note for path, value in _leaves(configuration) if (note := _note(value, texts))}
    heading = HEADING.format(name=name, version=version)
    if placeholders:
        heading += LACKING.format(count=len(placeholders))
    for file_system, path in elsewhere.items():
        heading += ELSEWHERE.format(name=file_system, path=path)
    return heading + "\n" + spec_yaml(configuration, notes, ordered=True)


def _note(value: Any, texts: Mapping[str, str]) -> str | None:
    if not isinstance(value, str):
        return None
    # The longest match: the address of a script contains that of its folder.
    found = [text for text in texts if text in value]
    return texts[max(found, key=len)] if found else None


def _leaves(value: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    if isinstance(value, Mapping):
        for key, below in value.items():
            yield from _leaves(below, (*path, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _leaves(item, (*path, index))
    else:
        yield path, value
