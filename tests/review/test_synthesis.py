"""The templates of a checkout, synthesised in a separate process and cached."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from clusterwright.review import synthesis
from clusterwright.review.assembly import StackTemplate
from clusterwright.review.synthesis import NotSynthesised, Source, cache_folder, synthesise

TEMPLATE = {"Resources": {}}
MANIFEST = {
    "artifacts": {
        "network": {
            "type": "aws:cloudformation:stack",
            "properties": {"templateFile": "network.json", "stackName": "dev-network"},
        },
        "cluster": {
            "type": "aws:cloudformation:stack",
            "properties": {"templateFile": "network.json"},
            "dependencies": ["network", "assets"],
        },
        "assets": {"type": "cdk:asset-manifest"},
    }
}


@pytest.fixture
def source(tmp_path: Path) -> Source:
    root = tmp_path / "checkout"
    for name in ("stacks", "configs", "docs", "node_modules"):
        (root / name).mkdir(parents=True)
    for name in ("app.py", "cdk.json", "configs/dev.yaml", "stacks/a.py", "docs/page.md"):
        (root / name).write_text(name)
    return Source(root, root / "configs" / "dev.yaml")


class App:
    """Replaces the process of `app.py`."""

    def __init__(self, code: int = 0, stderr: str = "", *, writes: bool = True) -> None:
        self.code, self.stderr, self.writes = code, stderr, writes
        self.runs: list[dict[str, Any]] = []

    def __call__(self, words: list[str], **options: Any) -> Any:
        self.runs.append({"words": words, **options})
        if self.writes:
            output = Path(options["env"]["CDK_OUTDIR"])
            output.mkdir()
            (output / "manifest.json").write_text(json.dumps(MANIFEST))
            (output / "network.json").write_text(json.dumps(TEMPLATE))
        return subprocess.CompletedProcess(words, self.code, "", self.stderr)


def use(monkeypatch: pytest.MonkeyPatch, app: Any) -> None:
    monkeypatch.setattr(synthesis.subprocess, "run", app)


def test_stacks_and_their_order_are_read(source: Source, monkeypatch: pytest.MonkeyPatch) -> None:
    app = App()
    use(monkeypatch, app)
    monkeypatch.setenv("CDK_DEBUG", "1")
    monkeypatch.setenv("CLUSTERWRIGHT_CONFIG", "other.yaml")
    found = synthesise(source, pseudo_parameters={"AWS::Region": "us-east-1"}, cache=None)
    assert found.stacks == {
        "dev-network": StackTemplate("dev-network", TEMPLATE),
        "cluster": StackTemplate("cluster", TEMPLATE, {}, frozenset({"network"})),
    }
    assert found.region == "us-east-1"
    (run,) = app.runs
    assert run["cwd"] == source.root
    assert run["env"]["CLUSTERWRIGHT_CONFIG"] == "configs/dev.yaml"
    assert "CDK_DEBUG" not in run["env"]
    # Only the templates are read, which no validation changes.
    for switch in ("CDK_VALIDATION", "CLUSTERWRIGHT_CHECKS", "CLUSTERWRIGHT_NAG"):
        assert run["env"][switch] == "false"


def test_equal_inputs_are_synthesised_once(
    source: Source, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    app = App()
    use(monkeypatch, app)
    cache = tmp_path / "cache"

    def runs() -> int:
        synthesise(source, pseudo_parameters={}, cache=cache)
        return len(app.runs)

    assert (runs(), runs()) == (1, 1)
    (source.root / "docs" / "page.md").write_text("a page that no synthesis reads")
    (source.root / "node_modules" / "a.js").write_text("")
    assert runs() == 1
    (source.root / "stacks" / "a.py").write_text("changed")
    assert runs() == 2


def test_files_outside_the_checkout_count(
    source: Source, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    app = App()
    use(monkeypatch, app)
    users = tmp_path / "users.yaml"
    users.write_text("a")
    outside = Source(source.root, source.config, (users,))
    synthesise(outside, pseudo_parameters={}, cache=tmp_path / "cache")
    users.write_text("b")
    synthesise(outside, pseudo_parameters={}, cache=tmp_path / "cache")
    assert len(app.runs) == 2


def test_a_damaged_entry_is_made_again(
    source: Source, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    app = App()
    use(monkeypatch, app)
    synthesise(source, pseudo_parameters={}, cache=tmp_path)
    (entry,) = tmp_path.glob("*.json")
    entry.write_text("[")
    synthesise(source, pseudo_parameters={}, cache=tmp_path)
    assert len(app.runs) == 2
    assert json.loads(entry.read_text())


@pytest.mark.parametrize(
    ("code", "stderr", "message", "invalid"),
    [
        (1, "", "app.py exited with 1: no message", False),
        (3, "error: no such type\n\nhint: another", "app.py exited with 3: error: no such", True),
        (1, "Traceback\n  File x\nValueError: bad\n", "exited with 1: ValueError: bad", False),
    ],
)
def test_a_failure_has_the_last_errors(
    source: Source,
    monkeypatch: pytest.MonkeyPatch,
    code: int,
    stderr: str,
    message: str,
    invalid: bool,
) -> None:
    use(monkeypatch, App(code, stderr, writes=False))
    with pytest.raises(NotSynthesised) as caught:
        synthesise(source, pseudo_parameters={}, cache=None)
    assert message in caught.value.message
    assert caught.value.invalid is invalid


def test_an_app_that_does_not_end(source: Source, monkeypatch: pytest.MonkeyPatch) -> None:
    def never(words: list[str], **options: Any) -> Any:
        raise subprocess.TimeoutExpired(words, options["timeout"])

    use(monkeypatch, never)
    with pytest.raises(NotSynthesised, match="did not finish within 300 s"):
        synthesise(source, pseudo_parameters={}, cache=None)


def test_without_the_cdk(source: Source, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(synthesis.importlib.util, "find_spec", lambda _: None)
    with pytest.raises(NotSynthesised) as caught:
        synthesise(source, pseudo_parameters={}, cache=None)
    assert "pip install 'clusterwright[cdk]'" in caught.value.hint


def test_the_checkout_of_a_spec(source: Source, tmp_path: Path) -> None:
    assert synthesis.checkout_of(source.config) == source.root.resolve()
    own = synthesis.checkout_of(tmp_path / "spec.yaml")
    assert own is not None
    assert (own / "app.py").is_file()
    assert not synthesis.is_app(tmp_path)


@pytest.mark.parametrize(
    ("environment", "folder"),
    [
        ({}, None),
        ({"HOME": "/home/x"}, Path("/home/x/.cache/clusterwright/synthesis")),
        ({"CLUSTERWRIGHT_CACHE": "/own", "HOME": "/home/x"}, Path("/own/synthesis")),
    ],
)
def test_the_folder_of_the_cache(environment: dict[str, str], folder: Path | None) -> None:
    assert cache_folder(environment) == folder


def test_old_entries_are_removed(
    source: Source, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(synthesis, "KEPT_ENTRIES", 1)
    use(monkeypatch, App())
    for text in ("a", "b"):
        (source.root / "app.py").write_text(text)
        synthesise(source, pseudo_parameters={}, cache=tmp_path)
    assert len(list(tmp_path.glob("*.json"))) == 1
