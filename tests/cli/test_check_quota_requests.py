"""`check --request-quotas`: the text is written, requests only after a confirmation."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from clusterwright.cli import check_quota_requests as command
from clusterwright.cli.errors import UserError
from clusterwright.preflight import quota_requests
from clusterwright.render import quota_request

NOTHING: Any = SimpleNamespace(to_file=(), name="nothing")
PLANNED: Any = SimpleNamespace(to_file=("a", "b"), name="planned")
FILED: Any = SimpleNamespace(to_file=(), name="filed")
CONTEXT: Any = SimpleNamespace(cluster=SimpleNamespace(environment="dev"))


def request(
    monkeypatch: pytest.MonkeyPatch, path: Path | None, plan: Any, *, yes: bool = False
) -> Any:
    monkeypatch.setattr(quota_requests, "plan", lambda *_, **__: plan)
    monkeypatch.setattr(quota_requests, "look", lambda _, planned: planned)
    monkeypatch.setattr(quota_requests, "file", lambda *_: FILED)
    monkeypatch.setattr(quota_request, "request_text", lambda plan: plan.name)
    monkeypatch.setattr(quota_request, "states_text", lambda plan: f"states of {plan.name}\n")
    session: Any = None
    result: Any = None
    return command.request_quotas(session, result, CONTEXT, yes=yes, lead_days=None, path=path)


def test_without_requests_only_the_text_is_written(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    assert request(monkeypatch, None, NOTHING) is NOTHING
    assert (tmp_path / "quota-request-dev.md").read_text() == "nothing"


def test_without_a_terminal_nothing_is_filed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "requests.md"
    assert request(monkeypatch, path, PLANNED) is PLANNED
    assert path.read_text() == "planned"
    out, err = capsys.readouterr()
    assert out == ""
    assert "not filed, because stdin is not a terminal; --yes files them" in err


def test_yes_files_the_requests(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    path = tmp_path / "requests.md"
    assert request(monkeypatch, path, PLANNED, yes=True) is FILED
    assert path.read_text() == "filed"


@pytest.mark.parametrize(("answer", "expected"), [(True, FILED), (False, PLANNED)])
def test_at_a_terminal_the_requests_are_confirmed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, answer: bool, expected: Any
) -> None:
    asked = []

    def confirm(question: str, **_: Any) -> bool:
        asked.append(question)
        return answer

    monkeypatch.setattr(command, "_at_a_terminal", lambda: True)
    monkeypatch.setattr(command.click, "confirm", confirm)
    assert request(monkeypatch, tmp_path / "requests.md", PLANNED) is expected
    assert asked == ["File 2 requests with Service Quotas?"]


def test_a_text_that_cannot_be_written(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with pytest.raises(UserError) as caught:
        request(monkeypatch, tmp_path, NOTHING)
    assert caught.value.message == f"{tmp_path} cannot be written: is a directory"
