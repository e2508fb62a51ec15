"""Run a check's programs, and distinguish one that is missing, fails or hangs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from clusterwright_common.probe import CommandResult, Probe

from clusterwright_acceptance import benchmarks
from clusterwright_acceptance.expected import Expected

PLACES: Mapping[str, tuple[str, ...]] = {
    **{name: benchmarks.places(name) for name in benchmarks.table()},
    "neuron-ls": ("/opt/aws/neuron/bin/neuron-ls",),
    "nvbandwidth": ("/opt/nvbandwidth/nvbandwidth", "/usr/bin/nvbandwidth"),
    "torch-python": ("/opt/pytorch/bin/python3",),
}
"""Usual places of programs that are not on the search path."""


class Missing(Exception):
    """A program that the check needs is not on the node: nothing is known."""


class Hung(Exception):
    """A program did not end in time."""

    def __init__(self, program: str, seconds: float) -> None:
        super().__init__(f"{program} did not end within {seconds:.0f} s")
        self.program = program
        self.seconds = seconds


class Unreadable(Exception):
    """A program's output, or a file, has an unknown form: nothing is known."""


def program(probe: Probe, expected: Expected, name: str) -> str:
    """The path or the name of a program. Raises Missing if the node does not have it."""
    configured = expected.programs.get(name)
    if configured is not None:
        if not (probe.exists(configured) or probe.has(configured)):
            raise Missing(f"{configured}, which the settings name for {name}, is not on this node")
        return configured
    if probe.has(name):
        return name
    for place in PLACES.get(name, ()):
        if probe.exists(place):
            return str(probe.path(place))
    raise Missing(f"{name} is not on this node")


def run(
    probe: Probe,
    argv: Sequence[str],
    timeout_seconds: float,
    env: Mapping[str, str] | None = None,
) -> CommandResult:
    """Run a command. Raises Hung if it does not end within the time."""
    words = [f"{name}={value}" for name, value in sorted((env or {}).items())]
    command = ["env", *words, *argv] if words else list(argv)
    result = probe.run(command, timeout_seconds=timeout_seconds)
    if result.exit_code is None:
        raise Hung(argv[0].rsplit("/", 1)[-1], timeout_seconds)
    return result


def output(
    probe: Probe,
    argv: Sequence[str],
    timeout_seconds: float,
    env: Mapping[str, str] | None = None,
) -> str:
    """The standard output. Raises Hung, or Unreadable if the command fails."""
    result = run(probe, argv, timeout_seconds, env)
    if not result.ok:
        raise Unreadable(f"{argv[0].rsplit('/', 1)[-1]}: {result.summary}")
    return result.stdout
