"""Every command that the documentation shows is run, and prints what is shown."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.docs.shown import PAGES, Shown, matches, shown_commands
from tools.lint.files import ROOT

# Commands that other tests run: each with the test.
RUN_ELSEWHERE = {
    r"git clone .*": "tests/setup/test_installed.py",
    r"make( .*)?": "tests/setup/test_installed.py",
    r"cdk .*": "tests/demo/test_hyperpod_slurm.py",
    r"export .*": "tests/docs/test_commands.py",
    r"pip install .*": "tests/setup/test_installed.py",
    # It waits for a controller.
    r"clusterwright accept (?!.*--dry-run).*": "tests/cli/test_accept.py",
}

_TITLED_BLOCK = re.compile(r'^```\w+ title="([^"]+)"\n(.*?)^```$', re.MULTILINE | re.DOTALL)

COMMANDS = [shown for page in PAGES for shown in shown_commands(page)]


@pytest.fixture(scope="session")
def local_aws_url() -> Iterator[Callable[[str], str]]:
    """The address of a local AWS in a world; each is started once."""
    servers: dict[str, tuple[subprocess.Popen[str], str]] = {}

    def url(world: str) -> str:
        if world not in servers:
            words = ["localaws", "--port", "0", "--world", world]
            server = subprocess.Popen(
                [sys.executable, "-m", "clusterwright", *words], stdout=subprocess.PIPE, text=True
            )
            assert server.stdout is not None
            servers[world] = (server, server.stdout.readline().split()[1])
        return servers[world][1]

    yield url
    for server, _ in servers.values():
        server.terminate()
        assert server.wait(20) == 0


@pytest.fixture(scope="session")
def folder_of(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Shown], Path]:
    """The folder of a command: one per page and per change of folder in the page."""
    folders: dict[tuple[Path, int], Path] = {}

    def folder(shown: Shown) -> Path:
        key = (shown.page, shown.folder_number)
        if key not in folders:
            folders[key] = tmp_path_factory.mktemp("docs")
            if shown.folder == "a checkout":
                for name in ("configs", "schema", "docs/samples"):
                    shutil.copytree(ROOT / name, folders[key] / name)
        return folders[key]

    return folder


def _run_elsewhere(shown: Shown) -> str | None:
    if shown.run_by:
        return shown.run_by
    for pattern, test in RUN_ELSEWHERE.items():
        if re.fullmatch(pattern, shown.command):
            return test
    return None


@pytest.mark.parametrize(
    "shown", [s for s in COMMANDS if not _run_elsewhere(s)], ids=lambda s: s.name
)
def test_command_prints_what_is_shown(
    shown: Shown, local_aws_url: Callable[[str], str], folder_of: Callable[[Shown], Path]
) -> None:
    words = shlex.split(shown.command)
    assert words[0] == "clusterwright", f"{shown.name}: no test runs `{shown.command}`"
    answer = subprocess.run(
        [sys.executable, "-m", *words],
        cwd=folder_of(shown),
        env=os.environ
        | {
            "AWS_ENDPOINT_URL": local_aws_url(shown.world),
            "AWS_ACCESS_KEY_ID": "111122223333",
            "AWS_SECRET_ACCESS_KEY": "local",
        },
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=600,
        check=False,
    )
    expected = list(shown.output)
    code = 0
    if expected and (last := re.fullmatch(r"# exit code (\d)", expected[-1])):
        code = int(last[1])
        expected.pop()
    assert answer.returncode == code, f"{shown.name}\n{answer.stdout}"
    if any(line.strip() for line in expected):
        assert matches(expected, answer.stdout), f"{shown.name} prints\n{answer.stdout}"


@pytest.mark.parametrize("shown", [s for s in COMMANDS if _run_elsewhere(s)], ids=lambda s: s.name)
def test_test_that_runs_it_exists(shown: Shown) -> None:
    test = _run_elsewhere(shown)
    assert test is not None
    assert (ROOT / test.split("::")[0]).is_file(), f"{shown.name} names {test}"


def test_shown_sample_files_are_current() -> None:
    shown = [
        (page, title, text)
        for page in PAGES
        for title, text in _TITLED_BLOCK.findall(page.read_text(encoding="utf-8"))
        if title.startswith(("docs/samples/", "configs/examples/"))
    ]
    assert len(shown) >= 5
    for page, title, text in shown:
        assert text == (ROOT / title).read_text(encoding="utf-8"), f"{page.name} shows {title}"


def test_commands_are_found() -> None:
    assert any(s.page.name == "README.md" for s in COMMANDS)
    assert any(not _run_elsewhere(s) for s in COMMANDS)


@pytest.mark.parametrize(
    ("shown", "real", "same"),
    [
        (["a", "..."], "a\nb\nc\n", True),
        (["...", "c"], "a\nb\nc\n", True),
        (["a", "b"], "a\nb\nc\n", False),
        (["total ... USD"], "total 3.20 USD\n", True),
        (["total 3.10 USD"], "total 3.20 USD\n", False),
    ],
)
def test_shown_output_is_compared(shown: list[str], real: str, same: bool) -> None:
    assert matches(shown, real) is same
