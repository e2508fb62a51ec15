"""A fifth platform is one folder, one of the same name under `stacks/`, one name and one file."""

from __future__ import annotations

import json
import sys
from typing import Any

import pytest

from tests.contributing.new_platform import NAME, add_example
from tests.support.repository_copy import RepositoryCopy

_CONTRACT = "lacks_nothing or a_config_a_page"
"""Tests that compare a platform with what all others have; the example is a smaller one."""
_BUILD = """\
import stacks
from clusterwright.platforms.loading import load_cluster
app = stacks.open_app()
print([stack.stack_name for stack in stacks.build(app, load_cluster("spec.yaml"))])
"""


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> RepositoryCopy:
    """A copy of the repository with the platform, and a spec of it as `init` writes it."""
    copied = RepositoryCopy(tmp_path_factory.mktemp("copies") / "repository")
    add_example(copied)
    options = ("--platform", NAME, "--output", "spec.yaml")
    code, text = run(copied, "-m", "clusterwright", "init", *options)
    assert code == 0, text
    return copied


def run(copy: RepositoryCopy, *arguments: str) -> tuple[int, str]:
    """Exit code and output of a Python program in the copy."""
    done = copy.run(sys.executable, *arguments)
    return done.returncode, done.stdout + done.stderr


def answer(copy: RepositoryCopy, *arguments: str) -> dict[str, Any]:
    code, text = run(copy, "-m", "clusterwright", *arguments, "--format", "json")
    assert code in (0, 1, 2), text
    found: dict[str, Any] = json.loads(text)
    return found


def test_spec_of_the_new_platform_is_loaded_and_checked(copy: RepositoryCopy) -> None:
    found = answer(copy, "check", "spec.yaml", "--offline")
    assert found["findings"] is not None
    code, text = run(copy, "-m", "clusterwright", "expand", "spec.yaml")
    assert code == 0, text
    assert f"platform: {NAME}" in text


def test_validator_of_the_new_platform_refuses(copy: RepositoryCopy) -> None:
    large = (copy.folder / "spec.yaml").read_text().replace("count: 2", "count: 2000")
    (copy.folder / "large.yaml").write_text(large)
    code, text = run(copy, "-m", "clusterwright", "check", "large.yaml", "--offline")
    assert code == 3
    assert "2000 nodes: at most 1000" in text


def test_new_platform_has_a_cost(copy: RepositoryCopy) -> None:
    assert answer(copy, "cost", "spec.yaml")["lines"]


def test_clusters_migrate_to_and_from_the_new_platform(copy: RepositoryCopy) -> None:
    found = answer(copy, "migrate", "spec.yaml", "--to", "parallelcluster")
    assert (found["from"], found["to"]) == (NAME, "parallelcluster")
    found = answer(copy, "migrate", "configs/dev-parallelcluster.yaml", "--to", NAME)
    assert (found["from"], found["to"]) == ("parallelcluster", NAME)


def test_stacks_of_the_new_platform_are_found(copy: RepositoryCopy) -> None:
    code, text = run(copy, "-c", _BUILD)
    assert code == 0, text
    assert "['dev-cluster']" in text


def test_completeness_tests_pass_with_the_new_platform(copy: RepositoryCopy) -> None:
    tests = ("tests/platforms/test_registry.py", "tests/platforms/test_capabilities.py")
    chosen = f"({NAME} or every or agree or traits) and not ({_CONTRACT})"
    code, text = run(copy, "-m", "pytest", "-q", "-p", "no:cacheprovider", *tests, "-k", chosen)
    assert code == 0, text
    assert f"[{NAME}]" in run(copy, "-m", "pytest", "--collect-only", "-q", *tests)[1]


def test_the_contract_says_what_the_new_platform_still_lacks(copy: RepositoryCopy) -> None:
    words = ("-q", "-p", "no:cacheprovider", "tests/platforms/test_registry.py", "-k", _CONTRACT)
    code, text = run(copy, "-m", "pytest", *words)
    assert code == 1, text
    assert f"configs/dev-{NAME}.yaml does not exist" in text
