"""A check disables Python's garbage collector, and restores its settings."""

from __future__ import annotations

import gc
import json
import subprocess
import sys
from pathlib import Path

import pytest

from clusterwright.cli.garbage_collection import ALLOCATION_THRESHOLD, reduced_gc
from clusterwright.cli.main import main

SPEC = Path(__file__).parents[2] / "configs" / "dev.yaml"


def test_collector_settings_are_restored() -> None:
    before = gc.get_threshold()
    with reduced_gc():
        assert gc.get_threshold() == (ALLOCATION_THRESHOLD, *before[1:])
    assert gc.get_threshold() == before


def test_check_restores_the_collector_settings(capsys: pytest.CaptureFixture[str]) -> None:
    before = gc.get_threshold()
    main(["check", "--offline", str(SPEC)])
    assert gc.get_threshold() == before
    assert gc.isenabled()
    assert capsys.readouterr().out


def test_check_command_disables_collection() -> None:
    program = (
        "import atexit, gc, json, sys\n"
        "from clusterwright.cli.main import main\n"
        "gc.disable()\n"  # the imports of `click` are not part of it
        "before = [s['collections'] for s in gc.get_stats()]\n"
        "gc.enable()\n"
        "def at_the_end():\n"
        "    after = [s['collections'] for s in gc.get_stats()]\n"
        "    said = {'before': before, 'after': after, 'frozen': gc.get_freeze_count()}\n"
        "    print(json.dumps(said), file=sys.stderr)\n"
        # Called last, because it was registered first.
        "atexit.register(at_the_end)\n"
        f"sys.argv = ['clusterwright', 'check', '--offline', {str(SPEC)!r}]\n"
        "sys.exit(main())\n"
    )
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    said = json.loads(done.stderr.strip().splitlines()[-1])
    assert said["frozen"] > 10_000
    # Generation 0 may be collected before the command is known, the others never.
    assert said["after"][1:] == said["before"][1:]
    assert " skipped" in done.stdout
