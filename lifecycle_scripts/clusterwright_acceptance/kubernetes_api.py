"""The Kubernetes API from a pod, with the token of its service account.

Sources: Kubernetes, "Accessing the Kubernetes API from a Pod"; "API concepts" (merge patch,
resource versions, watches).
"""

from __future__ import annotations

import json
import os
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPException
from pathlib import Path
from typing import TYPE_CHECKING, Any, Optional, Protocol

if TYPE_CHECKING:
    import ssl
    from http.client import HTTPResponse

ACCOUNT = "/var/run/secrets/kubernetes.io/serviceaccount"
TIME_LIMIT_SECONDS = 30.0
NOT_FOUND, CONFLICT = 404, 409
MERGE_PATCH = "application/merge-patch+json"


class KubernetesError(Exception):
    """The API server refused the request, or did not answer. `code` is HTTP's, 0 without one."""

    def __init__(self, code: int, reason: str) -> None:
        super().__init__(reason)
        self.code = code


class PatchApi(Protocol):
    """A merge patch of an object. Raises KubernetesError."""

    def patch(self, path: str, body: dict[str, Any]) -> dict[str, Any]: ...


class Api(PatchApi, Protocol):
    """Requests to the API server. Each raises KubernetesError."""

    def get(self, path: str) -> dict[str, Any]: ...

    def text(self, path: str) -> str: ...

    def create(self, path: str, body: dict[str, Any]) -> dict[str, Any]: ...

    def replace(self, path: str, body: dict[str, Any]) -> dict[str, Any]: ...

    def delete(self, path: str) -> None: ...


class WatchApi(PatchApi, Protocol):
    """Requests of the watch of nodes. Each raises KubernetesError."""

    def get(self, path: str) -> dict[str, Any]: ...

    def create(self, path: str, body: dict[str, Any]) -> dict[str, Any]: ...

    def watch(self, path: str, seconds: float) -> Iterator[dict[str, Any]]: ...


class PodApi:
    """The API server of the cluster in which this pod runs."""

    def __init__(self, server: Optional[str] = None, account: str = ACCOUNT) -> None:
        self._account = Path(account)
        self._server = server or "https://{}:{}".format(
            os.environ.get("KUBERNETES_SERVICE_HOST", "kubernetes.default.svc"),
            os.environ.get("KUBERNETES_SERVICE_PORT", "443"),
        )

    def get(self, path: str) -> dict[str, Any]:
        return self._json("GET", path)

    def text(self, path: str) -> str:
        return self._send("GET", path).decode("utf-8", "replace")

    def create(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        return self._json("POST", path, body)

    def replace(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        return self._json("PUT", path, body)

    def patch(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        return self._json("PATCH", path, body, MERGE_PATCH)

    def delete(self, path: str) -> None:
        self._send("DELETE", path)

    def watch(self, path: str, seconds: float) -> Iterator[dict[str, Any]]:
        """Yield the events of a watch (`type` and `object`) until the connection ends.

        Raises KubernetesError also for an event that is an error, with the code of its object,
        and for a server that sends nothing for this time, or does not end the watch within it.
        """
        end = time.monotonic() + seconds
        with self._answer("GET", path, seconds=seconds) as answer:
            for line in answer:
                yield _event(path, line)
                if time.monotonic() > end:
                    raise KubernetesError(0, f"GET {path}: it did not end in {seconds:.0f} s")

    def _json(
        self,
        method: str,
        path: str,
        body: Optional[dict[str, Any]] = None,
        form: str = "application/json",
    ) -> dict[str, Any]:
        try:
            found = json.loads(self._send(method, path, body, form))
        except ValueError as error:
            raise KubernetesError(0, f"{method} {path}: the answer is not JSON") from error
        if not isinstance(found, dict):
            raise KubernetesError(0, f"{method} {path}: the answer is not an object")
        return found

    def _send(
        self,
        method: str,
        path: str,
        body: Optional[dict[str, Any]] = None,
        form: str = "application/json",
    ) -> bytes:
        with self._answer(method, path, body, form) as answer:
            return bytes(answer.read())

    @contextmanager
    def _answer(
        self,
        method: str,
        path: str,
        body: Optional[dict[str, Any]] = None,
        form: str = "application/json",
        seconds: float = TIME_LIMIT_SECONDS,
    ) -> Iterator[HTTPResponse]:
        """The answer, which may be read within. `seconds` limits each wait for the server."""
        try:
            # The token is read each time: the kubelet renews it.
            token = (self._account / "token").read_text(encoding="utf-8").strip()
            request = urllib.request.Request(  # noqa: S310 - the server is the cluster's own
                self._server + path,
                None if body is None else json.dumps(body).encode(),
                {"Authorization": f"Bearer {token}", "Content-Type": form},
                method=method,
            )
            with urllib.request.urlopen(  # noqa: S310
                request, timeout=seconds, context=self._context()
            ) as answer:
                yield answer
        except urllib.error.HTTPError as error:
            with error:
                raise KubernetesError(error.code, f"{method} {path}: {_reason(error)}") from error
        except (OSError, HTTPException) as error:
            # HTTPException: the connection ended within an answer.
            raise KubernetesError(0, f"{method} {path}: {error}") from error

    def _context(self) -> Optional[ssl.SSLContext]:
        if not self._server.startswith("https:"):
            return None
        # Not every Python has it, and only the controller's pod needs it.
        import ssl  # noqa: PLC0415

        return ssl.create_default_context(cafile=str(self._account / "ca.crt"))


def selected(path: str, selector: str) -> str:
    """The path of the objects that a label selector selects."""
    return f"{path}?labelSelector={urllib.parse.quote(selector, safe='')}"


def _event(path: str, line: bytes) -> dict[str, Any]:
    """An event of a watch. Raises KubernetesError for one that is an error, or has no form."""
    try:
        found = json.loads(line)
        kind, content = found["type"], found["object"]
        metadata = {} if kind == "ERROR" else content["metadata"]
    except (ValueError, KeyError, TypeError) as error:
        raise KubernetesError(0, f"GET {path}: an event has an unknown form") from error
    if kind == "ERROR":
        raise KubernetesError(
            int(content.get("code") or 0), f"GET {path}: {content.get('message', 'an error')}"
        )
    if not isinstance(metadata, dict) or not metadata.get("resourceVersion"):
        raise KubernetesError(0, f"GET {path}: an event has no version")
    return dict(found)


def _reason(error: urllib.error.HTTPError) -> str:
    """The message of a Status object."""
    try:
        return str(json.loads(error.read())["message"])
    except (ValueError, KeyError, TypeError, OSError):
        return f"HTTP {error.code}"
