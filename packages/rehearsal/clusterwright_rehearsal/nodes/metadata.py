"""The instance metadata service (IMDSv2 only) for the machines of a run.

Paths and answers follow the EC2 user guide, "Instance metadata categories" and "Use the Instance
Metadata Service". A machine is identified by its address. Credentials are issued by the local AWS
for the role of the instance, and renewed before they expire.
"""

from __future__ import annotations

import json
import secrets
import socket
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

_RENEW_BEFORE_S = 600.0
_MAX_TTL_S = 21_600


@dataclass(frozen=True)
class Instance:
    """The metadata of one machine."""

    instance_id: str
    instance_type: str
    """The EC2 instance type, without `ml.`."""
    address: str
    host_name: str
    zone_name: str
    zone_id: str
    region: str
    account: str
    image_id: str
    role_arn: str


Credentials = Callable[[Instance], Mapping[str, Any]]
"""`Credentials` of STS for the instance's role."""


class Metadata:
    """A server on a listening socket, until `close`."""

    def __init__(self, bound: socket.socket, credentials: Credentials) -> None:
        self._credentials = credentials
        self._instances: dict[str, Instance] = {}
        self._tokens: dict[str, float] = {}
        self._cached: dict[str, Mapping[str, Any]] = {}
        self._lock = threading.Lock()
        self._notices: dict[str, dict[str, Any]] = {}
        owner = self

        class Handler(_Handler):
            service = owner

        self._server = ThreadingHTTPServer(bound.getsockname(), Handler, bind_and_activate=False)
        self._server.socket.close()
        self._server.socket = bound
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def add(self, instance: Instance) -> None:
        """Serve an instance; it replaces an earlier one at the same address."""
        with self._lock:
            self._instances[instance.address] = instance
            self._cached.pop(instance.address, None)
            self._notices.pop(instance.address, None)

    def remove(self, address: str) -> None:
        with self._lock:
            self._instances.pop(address, None)

    def set_spot_notice(self, address: str, action: str, when: datetime) -> None:
        """Show a Spot interruption notice at `spot/instance-action`."""
        with self._lock:
            stamp = when.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
            self._notices[address] = {"action": action, "time": stamp}

    def renew_credentials(self) -> set[str]:
        """Issue new credentials to whoever asks next; return the access keys of those before."""
        with self._lock:
            keys = {str(one["AccessKeyId"]) for one in self._cached.values()}
            self._cached.clear()
        return keys

    def new_token(self, ttl_s: int) -> str:
        token = secrets.token_urlsafe(40)
        with self._lock:
            self._tokens[token] = time.monotonic() + ttl_s
        return token

    def is_valid_token(self, token: str) -> bool:
        with self._lock:
            return self._tokens.get(token, 0.0) > time.monotonic()

    def answer(self, address: str, path: str) -> str | None:
        """The text at a path below `/latest/`; None for an unknown path."""
        with self._lock:
            instance = self._instances.get(address)
            notice = self._notices.get(address)
        if instance is None:
            return None
        if path == "dynamic/instance-identity/document":
            return json.dumps(_document(instance), indent=2)
        tree = _tree(instance)
        if notice is not None:
            tree["spot/instance-action"] = json.dumps(notice)
        role = instance.role_arn.rsplit("/", 1)[-1]
        if path == f"meta-data/iam/security-credentials/{role}":
            return self._role_credentials(instance)
        if not path.startswith("meta-data"):
            return None
        name = path.removeprefix("meta-data").strip("/")
        return tree.get(name) if name in tree else _listing(tree, name)

    def _role_credentials(self, instance: Instance) -> str:
        with self._lock:
            cached = self._cached.get(instance.address)
        now = datetime.now(UTC)
        if cached is None or (cached["Expiration"] - now).total_seconds() < _RENEW_BEFORE_S:
            cached = self._credentials(instance)
            with self._lock:
                self._cached[instance.address] = cached
        return json.dumps(
            {
                "Code": "Success",
                "LastUpdated": now.strftime("%Y-%m-%dT%H:%M:%SZ"),
                "Type": "AWS-HMAC",
                "AccessKeyId": cached["AccessKeyId"],
                "SecretAccessKey": cached["SecretAccessKey"],
                "Token": cached["SessionToken"],
                "Expiration": cached["Expiration"].strftime("%Y-%m-%dT%H:%M:%SZ"),
            },
            indent=2,
        )


class _Handler(BaseHTTPRequestHandler):
    service: Metadata
    server_version = "EC2ws"
    sys_version = ""

    def do_PUT(self) -> None:
        ttl = self.headers.get("X-aws-ec2-metadata-token-ttl-seconds", "")
        if self.path != "/latest/api/token":
            return self._respond(404)
        if not ttl.isdigit() or not 1 <= int(ttl) <= _MAX_TTL_S:
            return self._respond(400)
        return self._respond(200, self.service.new_token(int(ttl)))

    def do_GET(self) -> None:
        if not self.service.is_valid_token(self.headers.get("X-aws-ec2-metadata-token", "")):
            return self._respond(401)
        path = self.path.partition("?")[0]
        if not path.startswith("/latest/"):
            return self._respond(404)
        try:
            text = self.service.answer(self.client_address[0], path.removeprefix("/latest/"))
        except Exception as error:  # noqa: BLE001  a role that cannot be assumed
            return self._respond(500, f"{type(error).__name__}: {error}")
        return self._respond(404) if text is None else self._respond(200, text)

    def _respond(self, status: int, text: str = "") -> None:
        body = text.encode()
        self.send_response(status)
        self.send_header("Content-Type", "text/plain")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Log no requests."""


def _tree(instance: Instance) -> dict[str, str]:
    role = instance.role_arn.rsplit("/", 1)[-1]
    return {
        "ami-id": instance.image_id,
        "hostname": instance.host_name,
        "instance-id": instance.instance_id,
        "instance-type": instance.instance_type,
        "local-hostname": instance.host_name,
        "local-ipv4": instance.address,
        "placement/availability-zone": instance.zone_name,
        "placement/availability-zone-id": instance.zone_id,
        "placement/region": instance.region,
        "services/domain": "amazonaws.com",
        "services/partition": instance.role_arn.split(":")[1],
        "iam/info": json.dumps({"Code": "Success", "InstanceProfileArn": instance.role_arn}),
        f"iam/security-credentials/{role}": "",
    }


def _listing(tree: Mapping[str, str], name: str) -> str | None:
    prefix = f"{name}/" if name else ""
    found = []
    for path in tree:
        if path.startswith(prefix):
            head, slash, _ = path.removeprefix(prefix).partition("/")
            found.append(head + slash)
    return "\n".join(dict.fromkeys(found)) if found else None


def _document(instance: Instance) -> dict[str, Any]:
    return {
        "accountId": instance.account,
        "architecture": "x86_64",
        "availabilityZone": instance.zone_name,
        "imageId": instance.image_id,
        "instanceId": instance.instance_id,
        "instanceType": instance.instance_type,
        "privateIp": instance.address,
        "region": instance.region,
        "version": "2017-09-30",
    }
