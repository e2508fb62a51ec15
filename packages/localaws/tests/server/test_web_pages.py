"""Web pages in a browser on the machine cannot use the server."""

from __future__ import annotations

import http.client
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from clusterwright_localaws.server.web_pages import refusal
from packages.localaws.tests.servers import at, server


def status(path: str = "/", **headers: str) -> int | None:
    """The status of the refusal of a request, or None if it is served."""
    environ = {"PATH_INFO": path, "HTTP_HOST": "localhost:5555"}
    environ |= {f"HTTP_{name.upper()}": value for name, value in headers.items()}
    found = refusal(environ)
    return found[0] if found else None


@pytest.mark.parametrize(
    "host",
    [
        "localhost",
        "localhost:5555",
        "LOCALHOST.:5555",
        "127.0.0.1:5555",
        "[::1]:5555",
        "10.0.0.2",
        "bucket.localhost:5555",
        "api.sagemaker.us-east-1.amazonaws.com",
        "bucket.s3.cn-north-1.amazonaws.com.cn",
        "eks-auth.us-east-1.api.aws",
        "host.docker.internal:5555",
        "",
    ],
)
def test_hosts_of_the_machine_and_of_aws_are_served(host: str) -> None:
    assert status(host=host) is None


@pytest.mark.parametrize(
    "host",
    [
        "attacker.example:5555",
        "localhost.attacker.example",
        "notlocalhost",
        "127.0.0.1.attacker.example",
        "amazonaws.com.attacker.example",
        "xamazonaws.com",
        "0x7f000001",
        "[::1",
        "user@attacker.example",
    ],
)
def test_rebound_host_name_is_refused(host: str) -> None:
    assert status(host=host) == 403


@pytest.mark.parametrize(
    "origin", ["https://attacker.example", "null", "", "http://localhost:3000", "http://localhost"]
)
def test_page_of_another_origin_is_refused(origin: str) -> None:
    assert status(origin=origin) == 403
    assert status(origin="http://localhost:5555") is None


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_image_or_form_of_another_site_is_refused(site: str) -> None:
    assert status(sec_fetch_site=site) == 403
    assert status(sec_fetch_site="none") is None
    assert status(sec_fetch_site="same-origin") is None


@pytest.mark.parametrize(
    "path",
    [
        "/moto-api",
        "/moto-api/recorder/start-recording",
        "/moto-api/recorder/replay-recording",
        "/moto-api/config",
        "/moto-api/proxy/passthrough",
        "/moto-api/reset-auth",
        "/moto-api/static/../recorder/upload-recording",
        "/moto-api/static//recorder/upload-recording",
    ],
)
def test_recorder_and_configuration_of_moto_are_not_served(path: str) -> None:
    assert status(path) == 404


def test_other_paths_of_moto_are_served() -> None:
    for path in ("/moto-api/", "/moto-api/reset", "/moto-api/state-manager/set-transition"):
        assert status(path) is None


class TestServer:
    pytestmark = pytest.mark.enable_socket

    @pytest.fixture
    def running(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
        monkeypatch.chdir(tmp_path)
        with server() as (address, _):
            yield address

    def test_page_can_neither_change_nor_read_nor_write_a_file(
        self, running: str, tmp_path: Path
    ) -> None:
        s3 = at(running, "s3", "111122223333")
        s3.create_bucket(Bucket="kept")
        port = int(running.rsplit(":", 1)[1])

        def ask(method: str, path: str, body: str = "", **headers: str) -> tuple[int, str, str]:
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
            connection.request(method, path, body, headers)
            answer = connection.getresponse()
            allowed = answer.getheader("Access-Control-Allow-Origin") or ""
            return answer.status, allowed, answer.read().decode()

        page = {"Origin": "https://attacker.example"}
        assert ask("POST", "/moto-api/reset", **page)[:2] == (403, "")
        assert ask("GET", "/moto-api/data.json", **page)[:2] == (403, "")
        assert ask("OPTIONS", "/", **page, **{"Access-Control-Request-Method": "PUT"})[0] == 403
        assert ask("PUT", "/planted", **page)[:2] == (403, "")
        assert ask("POST", "/moto-api/reset", Host=f"attacker.example:{port}")[0] == 403
        for name in ("start", "stop", "upload", "download", "replay", "reset"):
            code, _, body = ask("POST", f"/moto-api/recorder/{name}-recording")
            assert code == 404
            assert json.loads(body)["message"].endswith("start it with --record FILE")
        assert [bucket["Name"] for bucket in s3.list_buckets()["Buckets"]] == ["kept"]
        assert list(tmp_path.iterdir()) == []

        own = {"Origin": running, "Host": running.removeprefix("http://")}
        assert ask("GET", "/moto-api/data.json", **own)[:2] == (200, "")
        assert ask("POST", "/moto-api/reset", **own)[:2] == (200, "")
        assert s3.list_buckets()["Buckets"] == []
