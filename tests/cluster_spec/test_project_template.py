"""The files of a project follow those of this repository."""

from __future__ import annotations

import json

from clusterwright.cluster_spec.init_template import Choices
from clusterwright.cluster_spec.project_template import REVIEW, SUBMODULE, project_files
from tools.lint.files import ROOT

CHOICES = Choices("lab", "111122223333", "us-east-1", "use1-az6", "p5.48xlarge", 2)


def test_files_of_a_project() -> None:
    assert sorted(project_files("eks", CHOICES)) == [
        ".github/workflows/review.yml",
        ".gitignore",
        "README.md",
        "cdk.json",
        "configs/base.yaml",
        "configs/lab.yaml",
    ]


def test_names_are_filled_in() -> None:
    files = project_files("eks", CHOICES)
    assert "cdk deploy -c env=lab --all" in files["README.md"]
    assert f'export PATH="$PWD/{SUBMODULE}/.venv/bin:$PATH"' in files["README.md"]
    schema = "# yaml-language-server: $schema=../vendor/clusterwright/schema/cluster.schema.json\n"
    assert files["configs/lab.yaml"].startswith(schema)
    assert files["configs/base.yaml"].startswith(schema)
    assert "${" not in "".join(text for name, text in files.items() if name != REVIEW)


def test_workflow_is_that_of_the_repository_in_a_submodule() -> None:
    own = (ROOT / ".github" / "workflows" / "review.yml").read_text(encoding="utf-8")
    for old, new in (
        ("make setup", f"make -C {SUBMODULE} setup"),
        ("${PWD}/.venv/bin", f"${{PWD}}/{SUBMODULE}/.venv/bin"),
        ("scripts/ci/", f"{SUBMODULE}/scripts/ci/"),
        ("docs/how-to/", f"{SUBMODULE}/docs/how-to/"),
        (
            "          persist-credentials: false\n",
            "          persist-credentials: false\n          submodules: true\n",
        ),
    ):
        assert old in own
        own = own.replace(old, new)
    assert project_files("eks", CHOICES)[REVIEW] == own


def test_cdk_settings_are_those_of_the_repository_apart_from_app_and_context() -> None:
    own = json.loads((ROOT / "cdk.json").read_text(encoding="utf-8"))
    ours = json.loads(project_files("eks", CHOICES)["cdk.json"])
    assert ours.pop("app") == f"python {SUBMODULE}/app.py"
    assert ours == {key: own[key] for key in own if key not in ("app", "context", "watch")}
