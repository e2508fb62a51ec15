"""Programs that stay on the node."""

from __future__ import annotations

import pytest
from clusterwright_node import programs

from tests.nodes.stub_node import stub_node


@pytest.mark.parametrize(
    ("package", "common"), [("clusterwright_health", True), ("clusterwright_spot", False)]
)
def test_a_program_is_installed_with_what_it_uses(package: str, common: bool) -> None:
    node = stub_node()
    assert not programs.is_installed(node, package)
    programs.install(node, package)
    assert programs.is_installed(node, package)
    written = {path.split("/")[4] for path in node.machine.files}
    assert written == ({package, "clusterwright_common"} if common else {package})
    tables = {path.split("/")[-1] for path in node.machine.files if path.endswith(".json")}
    assert ("xid_verdicts.json" in tables) is common


def test_only_changed_files_are_written() -> None:
    node = stub_node()
    programs.install(node, "clusterwright_spot")
    path = f"{programs.FOLDER}/clusterwright_spot/notice.py"
    node.machine.files[path] = "changed"
    node.machine.modes.clear()
    assert not programs.is_installed(node, "clusterwright_spot")
    programs.install(node, "clusterwright_spot")
    assert list(node.machine.modes) == [path]


def test_the_command_line_uses_the_images_python() -> None:
    assert programs.command("clusterwright_spot", "--once") == (
        "/usr/bin/env PYTHONPATH=/opt/clusterwright/lib /usr/bin/python3 -B -m "
        "clusterwright_spot --once"
    )
