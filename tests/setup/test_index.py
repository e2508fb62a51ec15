"""uv uses pip's configuration."""

from __future__ import annotations

import pytest

from tools.setup import index
from tools.setup.index import parse, translate, uv_index

_LISTING = """\
:env:.index-url='https://mirror.example/simple'
global.cert='/etc/ssl/corporate.pem'
global.extra-index-url='https://one.example/simple\\nhttps://two.example/simple'
global.index-url='https://older.example/simple'
global.no-index='false'
install.find-links='/wheels /more wheels'
install.trusted-host='mirror.example'
freeze.index-url='https://ignored.example/simple'
"""


def test_environment_overrides_files_and_other_commands_are_ignored() -> None:
    settings = parse(_LISTING)
    assert settings["index-url"] == "https://mirror.example/simple"
    assert settings["cert"] == "/etc/ssl/corporate.pem"


def test_pip_settings_become_uv_variables() -> None:
    found = translate(parse(_LISTING))
    assert found.environment == {
        "UV_SYSTEM_CERTS": "true",
        "UV_DEFAULT_INDEX": "https://mirror.example/simple",
        "UV_INDEX": "https://one.example/simple https://two.example/simple",
        "UV_INDEX_STRATEGY": "unsafe-best-match",
        "UV_FIND_LINKS": "/wheels,/more,wheels",
        "SSL_CERT_FILE": "/etc/ssl/corporate.pem",
        "UV_INSECURE_HOST": "mirror.example",
    }
    assert found.options == ()


def test_folder_of_wheels_without_an_index() -> None:
    found = translate({"no-index": "1", "find-links": "/wheels"})
    assert found.options == ("--no-index",)
    assert found.environment["UV_FIND_LINKS"] == "/wheels"


def test_without_configuration_no_index_is_set() -> None:
    assert translate(parse("")).environment == {"UV_SYSTEM_CERTS": "true"}


@pytest.mark.parametrize("own", ["UV_DEFAULT_INDEX", "UV_INDEX_URL"])
def test_settings_of_the_user_for_uv_are_kept(own: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(index, "run", lambda *words, **options: _LISTING)
    found = uv_index(index.Path("python"), {own: "https://mine.example/simple"})
    assert "UV_DEFAULT_INDEX" not in found.environment
    assert found.environment["SSL_CERT_FILE"] == "/etc/ssl/corporate.pem"
