"""`localaws verify` against servers: the local AWS, and moto's own."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from clusterwright_localaws.json_output import schemas
from packages.localaws.tests.servers import at, server

pytestmark = pytest.mark.enable_socket

_MOTO = """
import time
from moto.server import ThreadedMotoServer
server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
server.start()
print(server.get_host_and_port()[1], flush=True)
time.sleep(600)
"""
_ENVIRONMENT = {
    **{name: value for name, value in os.environ.items() if not name.startswith("AWS_")},
    "AWS_ACCESS_KEY_ID": "testing",
    "AWS_SECRET_ACCESS_KEY": "testing",
}


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "clusterwright", "localaws", "verify", *arguments]


def verify(*arguments: str) -> tuple[int, Any, str]:
    done = subprocess.run(
        command(*arguments, "--region", "us-east-1", "--format", "json"),
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
        env=_ENVIRONMENT,
    )
    if not done.stdout:
        return done.returncode, None, done.stderr
    document = json.loads(done.stdout)
    jsonschema.validate(document, schemas()["localaws-verify-output.schema.json"])
    assert document["exit_code"] == done.returncode
    return done.returncode, document, done.stderr


@pytest.fixture(scope="module")
def moto() -> Iterator[str]:
    process = subprocess.Popen(
        [sys.executable, "-c", _MOTO], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    assert process.stdout is not None
    try:
        yield f"http://127.0.0.1:{process.stdout.readline().strip()}"
    finally:
        process.terminate()
        process.wait(20)
        process.stdout.close()


@pytest.mark.slow
def test_differences_of_moto_are_the_known_ones(moto: str) -> None:
    known = yaml.safe_load((Path(__file__).parent / "moto_server.yaml").read_text())
    # moto never deletes two things: to try again for minutes would change nothing.
    options = ["--create", "--budget", "50", "--deletion-timeout", "1"]
    code, document, _ = verify("--endpoint", moto, *options)
    found = {one["id"] for one in document["probes"] if one["verdict"] != "same"}
    assert found == known.keys()
    assert code == 1


def test_local_aws_has_no_difference() -> None:
    with server() as (address, _):
        code, document, errors = verify("--endpoint", address)
    assert errors == ""
    assert [one for one in document["probes"] if one["differences"]] == []
    assert document["counts"]["not_tried"] > 60
    assert document["counts"]["same"] >= 30
    assert (code, document["counts"]["unknown"], document["left_behind"]) == (0, 0, [])


def test_everything_is_deleted_after_an_interruption() -> None:
    with server("--latency-ms", "250") as (address, _):
        process = subprocess.Popen(
            command("--endpoint", address, "--create", "--budget", "1", "--probe", "ec2-subnet-*"),
            stdout=subprocess.PIPE,
            text=True,
            env={**_ENVIRONMENT, "AWS_DEFAULT_REGION": "us-east-1"},
        )
        ec2 = at(address, "ec2")
        until = time.monotonic() + 60
        before = 1  # the default VPC
        while len(ec2.describe_vpcs()["Vpcs"]) <= before:
            assert time.monotonic() < until
        process.send_signal(signal.SIGINT)
        output, _ = process.communicate(timeout=60)
        assert process.returncode == 130
        assert "not tried" in output
        assert len(ec2.describe_vpcs()["Vpcs"]) == before


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["--create"], 3, "--create needs a budget"),
        (["--create", "--budget", "0.01"], 3, "the budget is USD 0.01"),
        (["--create", "--budget", "nan"], 3, "'nan' is not a number"),
        (["--create", "--budget", "inf"], 3, "'inf' is not a number"),
        (["--deletion-timeout", "nan"], 3, "'nan' is not a number"),
        (["--probe", "none"], 3, "no probe is called 'none'"),
        (["--price", "one"], 3, "'one' is not PROBE=USD"),
        (["--endpoint", "http://127.0.0.1:9"], 2, "does not say whose credentials these are"),
        (["--profile", "nobody"], 3, "nobody"),
    ],
)
def test_refusals(arguments: list[str], code: int, message: str) -> None:
    found, document, errors = verify(*arguments)
    assert (found, document) == (code, None)
    assert message in errors
    assert "Traceback" not in errors


def test_option_of_the_server_is_refused() -> None:
    words = [sys.executable, "-m", "clusterwright", "localaws", "--port", "0", "verify"]
    done = subprocess.run(words, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 3
    assert "--port is an option of the server" in done.stderr
