"""`clusterwright diff`: git, templates, gates, exit codes, invalid input."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from clusterwright.json_output.schemas import schemas
from tests.support import specs
from tests.support.command_line import Answer, clusterwright

BASE = specs.changed(
    {
        "storage.lustre": [
            {"name": "fsx", "capacity_gib": 9600, "throughput_mbps_per_tib": 500},
            {
                "name": "two",
                "mount_path": "/two",
                "capacity_gib": 4800,
                "throughput_mbps_per_tib": 500,
            },
        ]
    }
)
SPEC = "configs/test.yaml"


@pytest.fixture(autouse=True)
def _cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """One cache for the whole file, so that each version is synthesised once."""
    folder = tmp_path_factory.getbasetemp() / "diff-cache"
    monkeypatch.setenv("CLUSTERWRIGHT_CACHE", os.fspath(folder))


@pytest.fixture
def repository(tmp_path: Path) -> Callable[..., Path]:
    """`repository(before, after)`: a repository with specs only; the change is not committed."""

    def make(before: dict[str, Any] | None, after: dict[str, Any]) -> Path:
        root = tmp_path / "clusters"
        (root / "configs").mkdir(parents=True)
        git(root, "init", "--quiet", "--initial-branch", "main")
        if before is not None:
            specs.write(root / SPEC, before)
        (root / "README").write_text("specs\n")
        git(root, "add", "--all")
        git(root, "commit", "--quiet", "--message", "base")
        specs.write(root / SPEC, after)
        return root

    return make


def git(folder: Path, *words: str) -> str:
    own = ["-c", "user.name=T", "-c", "user.email=t@example.com", "-c", "commit.gpgsign=false"]
    done = subprocess.run(
        ["git", *own, *words], cwd=folder, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


def diff(root: Path, *options: str) -> Answer:
    return clusterwright("diff", SPEC, "--base", "main", "--offline", *options, folder=root)


def answer(root: Path, *options: str) -> dict[str, Any]:
    found = diff(root, "--format", "json", *options)
    data: dict[str, Any] = json.loads(found.out)
    jsonschema.validate(data, schemas()["diff-output.schema.json"])
    assert data["exit_code"] == found.exit_code
    return data


def test_nothing_changes(repository: Callable[..., Path]) -> None:
    root = repository(BASE, BASE)
    found = diff(root)
    assert found.exit_code == 0
    assert "verdict: pass: nothing changes" in found.out
    assert git(root, "status", "--short") == "", "the review changed the repository"


def test_added_nodes_pass_and_are_counted(repository: Callable[..., Path]) -> None:
    data = answer(repository(BASE, specs.changed({"compute.1.count": 8}, BASE)))
    assert (data["verdict"], data["exit_code"]) == ("pass", 0)
    assert data["changes"] == [{"path": "compute[workers].count", "before": 4, "after": 8}]
    assert [(n["group"], n["change"], n["jobs"]) for n in data["nodes"]] == [
        ("workers", "grown", "none")
    ]
    effects = {r["type"]: r["effect"] for r in data["resources"]}
    # The job files have the number of nodes.
    assert effects == {
        "AWS::SageMaker::Cluster": "update",
        "Custom::CDKBucketDeployment": "update",
    }
    assert data["cost_delta"]["monthly_usd"] > 0
    usage = {q["code"]: (q["before"], q["after"]) for q in data["quota_delta"]}
    assert usage["L-8762A75F"] == (4, 8)


def test_removed_file_system_lists_all_blockers(
    repository: Callable[..., Path],
) -> None:
    after = specs.changed({"storage.lustre": BASE["storage"]["lustre"][:1]}, BASE)
    data = answer(repository(BASE, after))
    assert (data["verdict"], data["exit_code"]) == ("fail", 1)
    gone = {r["type"]: r for r in data["resources"] if r["effect"] == "delete"}
    assert gone["AWS::FSx::FileSystem"]["outcome"] == "it is retained outside the stack"
    assert {"replacement", "order"} <= {g["gate"] for g in data["gates"] if g["status"] == "fail"}
    (obstacle,) = [o for o in data["obstacles"] if o["kind"] == "export-in-use"]
    assert "two deployments" in obstacle["message"]


def test_allowed_replacement_passes(repository: Callable[..., Path]) -> None:
    without = specs.changed({"compute.1.name": "gpus"}, BASE)
    root = repository(BASE, without)
    assert [g["gate"] for g in answer(root)["gates"] if g["status"] == "fail"] == ["jobs"]
    entry = {"resource": "compute[workers]", "reason": "nothing runs on the group"}
    specs.write(root / SPEC, {**without, "allow_replacement": [entry]})
    data = answer(root)
    assert data["verdict"] == "pass"
    assert "nothing runs on the group" in data["gates"][0]["message"]
    over = {**entry, "expires": "2026-01-31"}
    specs.write(root / SPEC, {**without, "allow_replacement": [over]})
    assert {g["gate"] for g in answer(root)["gates"] if g["status"] == "fail"} == {
        "jobs",
        "allowance",
    }


def test_increase_budget_is_a_gate(repository: Callable[..., Path]) -> None:
    after = specs.changed({"compute.1.count": 64, "budget.max_increase_percent": 50}, BASE)
    data = answer(repository(BASE, after))
    failed = [g["name"] for g in data["gates"] if g["status"] == "fail" and g["gate"] == "budget"]
    assert failed == ["budget.max_increase_percent"]


def test_new_spec_is_all_added(repository: Callable[..., Path]) -> None:
    data = answer(repository(None, BASE))
    assert {r["effect"] for r in data["resources"]} == {"none"}
    assert {r["action"] for r in data["resources"]} == {"create"}
    assert "everything is new" in data["notes"][0]
    assert data["cost_delta"]["before"]["monthly_usd"] == 0


def test_other_environment_keeps_the_old_stacks(repository: Callable[..., Path]) -> None:
    data = answer(repository(BASE, specs.changed({"environment": "other"}, BASE)))
    assert any("creates another cluster" in note for note in data["notes"])
    left = [r for r in data["resources"] if r["action"] == "leave"]
    assert {r["effect"] for r in left} == {"delete"}
    assert data["verdict"] == "fail"


def test_layers_users_and_prices_of_the_base_are_read(repository: Callable[..., Path]) -> None:
    root = repository(BASE, BASE)
    users = {"users": [{"name": "ada", "uid": 20001}]}
    (root / "configs" / "people.yaml").write_text(json.dumps(users))
    (root / "configs" / "base.yaml").write_text(json.dumps({"tags": {"owner": "before"}}))
    rate = {
        "instance_type": "p5.48xlarge", "kind": "hyperpod-on-demand", "region": "us-east-1",
        "usd": 50, "unit": "instance-hour", "source": "contract", "date": "2026-11-01",
    }  # fmt: skip
    (root / "configs" / "prices.yaml").write_text(json.dumps({"rates": [rate]}))
    specs.write(root / SPEC, specs.changed({"slurm.users": "people.yaml"}, BASE))
    git(root, "add", "--all")
    git(root, "commit", "--quiet", "--message", "more")
    users["users"][0]["uid"] = 20002
    (root / "configs" / "people.yaml").write_text(json.dumps(users))
    (root / "configs" / "base.yaml").write_text(json.dumps({"tags": {"owner": "after"}}))
    (root / "configs" / "prices.yaml").write_text(json.dumps({"rates": [{**rate, "usd": 60}]}))
    data = answer(root, "--no-templates")
    assert {c["path"]: (c["before"], c["after"]) for c in data["changes"]} == {
        "slurm.users[ada].uid": (20001, 20002),
        "tags.owner": ("before", "after"),
    }
    assert data["cost_delta"]["hourly_usd"] == pytest.approx(4 * 10)


def test_invalid_base_is_unknown(
    repository: Callable[..., Path],
) -> None:
    root = repository({**BASE, "no_such_key": 1}, BASE)
    data = answer(root)
    assert (data["verdict"], data["exit_code"]) == ("unknown", 2)
    assert "no_such_key" in data["unknown"][0]["reason"]
    assert diff(root, "--strict").exit_code == 1


def test_base_can_be_a_file(tmp_path: Path) -> None:
    one = specs.write(tmp_path / "one.yaml", BASE)
    two = specs.write(tmp_path / "two.yaml", specs.changed({"compute.1.count": 2}, BASE))
    found = clusterwright("diff", two, "--base", one, "--offline", "--no-templates")
    assert found.exit_code == 0
    assert "compute[workers].count: 4 -> 2" in found.out
    assert "JOBS END" in found.out


@pytest.mark.parametrize("missing", ["cfnlint", "aws_cdk"])
def test_missing_extra_makes_the_review_incomplete(
    repository: Callable[..., Path], monkeypatch: pytest.MonkeyPatch, missing: str
) -> None:
    import importlib.util

    real = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util,
        "find_spec",
        lambda name, *more: None if name == missing else real(name, *more),
    )
    monkeypatch.setenv("CLUSTERWRIGHT_CACHE", "")
    data = answer(repository(BASE, specs.changed({"compute.1.count": 8}, BASE)))
    assert (data["verdict"], data["exit_code"]) == ("unknown", 2)
    assert not data["resources_known"]
    assert "not installed" in data["unknown"][0]["reason"]
    assert data["changes"]
    assert data["cost_delta"]


def test_omitted_templates_are_not_requested(repository: Callable[..., Path]) -> None:
    data = answer(repository(BASE, specs.changed({"compute.1.count": 8}, BASE)), "--no-templates")
    assert (data["verdict"], data["resources_known"]) == ("pass", False)


def test_each_version_is_synthesised_by_its_own_stacks(tmp_path: Path) -> None:
    """A change of the stacks alone is detected."""
    from tools.lint.files import ROOT

    root = tmp_path / "own"
    root.mkdir()
    for name in ("app.py", "cdk.json", "stacks", "clusterwright", "lifecycle_scripts"):
        source = ROOT / name
        ignore = shutil.ignore_patterns("__pycache__")
        if source.is_dir():
            shutil.copytree(source, root / name, ignore=ignore)
        else:
            shutil.copy2(source, root / name)
    specs.write(root / "spec.yaml", specs.SMALL)
    git(root, "init", "--quiet", "--initial-branch", "main")
    git(root, "add", "--all")
    git(root, "commit", "--quiet", "--message", "base")
    part = root / "stacks" / "base" / "cluster_stack.py"
    part.write_text(part.read_text().replace('"retain"', '"never"'))
    script = root / "lifecycle_scripts" / "on_create.sh"
    script.write_text(script.read_text() + "# more\n")
    found = clusterwright(
        "diff", "spec.yaml", "--base", "main", "--offline", "--format", "json", folder=root
    )
    data = json.loads(found.out)
    assert data["changes"] == []
    assert data["scripts"]["changed"] == ["on_create.sh"]
    weaker = [r for r in data["resources"] if "DeletionPolicy" in " ".join(r["reasons"])]
    assert weaker, data["resources"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((SPEC,), "either --base REF or --deployed"),
        ((SPEC, "--base", "main", "--deployed"), "either --base REF or --deployed"),
        ((SPEC, "--deployed", "--offline"), "--deployed reads the account"),
        ((SPEC, "--base", "main", "--no-change-sets"), "--no-change-sets requires --deployed"),
        ((SPEC, "--base", "no-such-branch"), "has no commit 'no-such-branch'"),
        ((SPEC, "--base", "--help-me"), "--help-me"),
        ((SPEC, "--base", "main..main"), "has no commit"),
        (("configs/none.yaml", "--base", "main"), "does not exist"),
    ],
)
def test_usage_errors_are_reported(
    repository: Callable[..., Path], arguments: tuple[str, ...], message: str
) -> None:
    found = clusterwright("diff", *arguments, folder=repository(BASE, BASE))
    assert found.exit_code == 3
    assert message in found.err


def test_diff_requires_a_repository(tmp_path: Path) -> None:
    specs.write(tmp_path / "spec.yaml", BASE)
    found = clusterwright("diff", "spec.yaml", "--base", "main", folder=tmp_path)
    assert found.exit_code == 3
    assert "is not in a git repository" in found.err


def test_invalid_spec_is_reported_in_json(repository: Callable[..., Path]) -> None:
    root = repository(BASE, specs.changed({"compute.1.count": -1}, BASE))
    found = diff(root, "--format", "json")
    assert found.exit_code == 3
    jsonschema.validate(json.loads(found.out), schemas()["diff-output.schema.json"])


def test_without_credentials_account_rules_are_unknown(repository: Callable[..., Path]) -> None:
    root = repository(BASE, BASE)
    found = clusterwright("diff", SPEC, "--base", "main", "--no-templates", folder=root)
    assert found.exit_code == 2
    found = clusterwright("diff", SPEC, "--deployed", "--no-templates", folder=root)
    assert found.exit_code == 2
    assert "what is deployed" in found.out
