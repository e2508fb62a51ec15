"""The Kubernetes API from a pod, with the token of its service account.

Sources: Kubernetes, "Accessing the Kubernetes API from a Pod"; "API concepts" (merge patch,
resource versions).
"""

from __future__ import annotations

import json
import os
import urllib.error
import urllib.request
from pathlib import Path
from typing import TYPE_CHECKING, Any, Optional, Protocol

if TYPE_CHECKING:
    import ssl

ACCOUNT = "/var/run/secrets/kubernetes.io/serviceaccount"
TIME_LIMIT_SECONDS = 30.0
MERGE_PATCH = "application/merge-patch+json"


class KubernetesError(Exception):
    """The API server refused the request, or did not answer. `code` is HTTP's, 0 without one."""

    def __init__(self, code: int, reason: str) -> None:
        super().__init__(reason)
        self.code = code


class Api(Protocol):
    """Requests to the API server. Each raises KubernetesError."""

    def get(self, path: str) -> dict[str, Any]: ...

    def text(self, path: str) -> str: ...

    def create(self, path: str, body: dict[str, Any]) -> dict[str, Any]: ...

    def replace(self, path: str, body: dict[str, Any]) -> dict[str, Any]: ...

    def patch(self, path: str, body: dict[str, Any]) -> dict[str, Any]: ...

    def delete(self, path: str) -> None: ...


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
                request, timeout=TIME_LIMIT_SECONDS, context=self._context()
            ) as answer:
                return bytes(answer.read())
        except urllib.error.HTTPError as error:
            with error:
                raise KubernetesError(error.code, f"{method} {path}: {_reason(error)}") from error
        except OSError as error:
            raise KubernetesError(0, f"{method} {path}: {error}") from error

    def _context(self) -> Optional[ssl.SSLContext]:
        if not self._server.startswith("https:"):
            return None
        # Not every Python has it, and only the controller's pod needs it.
        import ssl  # noqa: PLC0415

        return ssl.create_default_context(cafile=str(self._account / "ca.crt"))


def _reason(error: urllib.error.HTTPError) -> str:
    """The message of a Status object."""
    try:
        return str(json.loads(error.read())["message"])
    except (ValueError, KeyError, TypeError, OSError):
        return f"HTTP {error.code}"
