"""One local AWS for all third-party clients, and separate worlds for single tests."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.clients import terraform
from tests.clients.programs import BLOCK, Server, file, served
from tests.clients.tested_clients import summary
from tools.setup import clients

# Where there is no Terraform, its tests do not exist, and the summary says why: the machine's
# programs are not guaranteed, unlike those that set-up installs.
collect_ignore = [] if isinstance(terraform.FOUND, terraform.Terraform) else ["test_terraform.py"]

_WORLD = f"""\
extends: generous
capacity_reservations:
  - id: {BLOCK}
    kind: capacity-block
    instance_type: p5.48xlarge
    instance_count: 4
    zone_id: use1-az6
    end: +7d
"""


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    terminalreporter.section("third-party clients")
    for line in summary(terraform.FOUND):
        terminalreporter.line(line)


@pytest.fixture(scope="session")
def programs() -> Callable[[str], Path]:
    """The programs of `requirements/clients`; installed here if `make test` did not."""
    clients.bring_up_to_date()
    return clients.program


@pytest.fixture(scope="session")
def aws(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """The generous world, with an active capacity block."""
    home = tmp_path_factory.mktemp("clients")
    world = file(home, "world.yaml", _WORLD)
    with served(home, "--world", str(world)) as server:
        yield server


@pytest.fixture(scope="session")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], Server]]:
    """A local AWS in a world, by name or as the text of a world file; each is started once."""
    running: dict[str, Server] = {}
    with ExitStack() as stack:

        def start(name: str) -> Server:
            if name not in running:
                home = tmp_path_factory.mktemp("world")
                if ":" in name:
                    (home / "world.yaml").write_text(name)
                    options = ("--world", str(home / "world.yaml"))
                else:
                    options = ("--world", name)
                running[name] = stack.enter_context(served(home, *options))
            return running[name]

        yield start
