"""The changes of CONTRIBUTING: each thing is created from a template in a copy of the repository.

The copy gets the files that CONTRIBUTING lists and nothing else; then the generated documents are
written, and the completeness tests of the package run there.
"""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.support.repository_copy import RepositoryCopy

_TEMPLATES = Path(__file__).parent / "templates"


@dataclass(frozen=True)
class Change:
    """A change: new files (path -> template), edits (path -> old and new text), what proves it.

    `incomplete` is the file without which the completeness tests must fail.
    """

    files: dict[str, str]
    tests: tuple[str, ...]
    incomplete: str
    documents: tuple[str, ...] = ()
    edits: dict[str, tuple[str, str]] = field(default_factory=dict)


_RULE_TEST = "tests/preflight/rules/network/test_n999_example.py"
_STEP_TEST = "tests/nodes/steps/test_example.py"
_SOURCE_TEST = "tests/nodes/metrics/sources/test_example.py"
_API_TEST = "packages/localaws/tests/services/sts/test_access_key_info.py"
_STS = "packages/localaws/clusterwright_localaws/services/sts"

CHANGES = {
    "rule": Change(
        files={
            "clusterwright/preflight/rules/network/n999_example.py": "rule.py",
            _RULE_TEST: "test_rule.py",
        },
        tests=(
            "tests/preflight/test_completeness.py",
            _RULE_TEST,
            *("-k", "N999 or example or registry"),
        ),
        incomplete=_RULE_TEST,
        documents=("rules",),
    ),
    "step": Change(
        files={
            "lifecycle_scripts/clusterwright_node/steps/example.py": "step.py",
            _STEP_TEST: "test_step.py",
        },
        tests=("tests/nodes/test_packages.py", _STEP_TEST),
        incomplete=_STEP_TEST,
        edits={
            "docs/reference/node-files.md": (
                "| `clock` |",
                "| `example` | everywhere | writes an example file |\n| `clock` |",
            )
        },
    ),
    "source": Change(
        files={
            "lifecycle_scripts/clusterwright_metrics/sources/example.py": "source.py",
            _SOURCE_TEST: "test_source.py",
        },
        tests=("tests/nodes/metrics/test_scrape.py", _SOURCE_TEST),
        incomplete=_SOURCE_TEST,
        edits={
            "docs/reference/metrics.md": (
                "| `ours` |",
                "| `example` | all | `example_*` | an example file |\n| `ours` |",
            )
        },
    ),
    "api": Change(
        files={f"{_STS}/access_key_info.py": "api.py", _API_TEST: "test_api.py"},
        tests=(
            "packages/localaws/tests/test_every_operation.py",
            _API_TEST,
            "-k",
            "[sts] or key_info",
        ),
        incomplete=f"{_STS}/access_key_info.py",
        documents=("local-aws-api",),
        edits={f"{_STS}/__init__.py": ('API = ("', 'API = ("access_key_info", "')},
    ),
}


class Copy(RepositoryCopy):
    """A copy of the repository with a change."""

    def pytest(self, *words: str) -> subprocess.CompletedProcess[str]:
        return self.run(
            sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", *words
        )

    def make(self, change: Change) -> None:
        for name, template in change.files.items():
            target = self.folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text((_TEMPLATES / f"{template}.txt").read_text())
        for name, (old, new) in change.edits.items():
            self.edit(name, old, new)
        if change.documents:
            written = self.run(sys.executable, "-m", "tools.docs", *change.documents)
            assert written.returncode == 0, written.stderr


@pytest.mark.slow
@pytest.mark.parametrize("name", CHANGES)
def test_a_change_touches_only_the_files_that_contributing_lists(
    name: str, tmp_path: Path
) -> None:
    change = CHANGES[name]
    copy = Copy(tmp_path / "copy")
    copy.make(change)
    done = copy.pytest(*change.tests)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]

    (copy.folder / change.incomplete).unlink()
    tests = [test for test in change.tests if test != change.incomplete]
    incomplete = copy.pytest(*tests)
    assert incomplete.returncode == 1, "the completeness tests do not notice a missing file"
