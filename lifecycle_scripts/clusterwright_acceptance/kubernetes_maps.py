"""JSON content in ConfigMaps of the acceptance namespace, compressed: each holds 1 MiB."""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Optional

from clusterwright_acceptance.kubernetes_api import CONFLICT, NOT_FOUND, Api, KubernetesError

KEY = "report.json.gz"


@dataclass(frozen=True)
class Maps:
    """The ConfigMaps of a namespace. Every method raises KubernetesError."""

    api: Api
    namespace: str

    def read(self, name: str) -> dict[str, Any]:
        """The content; empty without the ConfigMap, and if it is damaged."""
        return self.versioned(name)[0]

    def versioned(self, name: str) -> tuple[dict[str, Any], Optional[str]]:
        """As `read`, with the version for `replace`; None without the ConfigMap."""
        try:
            found = self.api.get(f"{self._path}/{name}")
        except KubernetesError as error:
            if error.code == NOT_FOUND:
                return {}, None
            raise
        return _unpacked(found), str(found.get("metadata", {}).get("resourceVersion") or "")

    def save(self, name: str, content: Mapping[str, Any], labels: Mapping[str, str]) -> None:
        """Create or replace a ConfigMap, whatever it has."""
        try:
            self.api.create(self._path, _body(name, packed(content), labels))
        except KubernetesError as error:
            if error.code != CONFLICT:
                raise
            self.api.replace(f"{self._path}/{name}", _body(name, packed(content), labels))

    def replace(self, name: str, content: bytes, version: Optional[str]) -> None:
        """Write what `packed` returned; CONFLICT if others have written since `versioned`."""
        body = _body(name, content, {})
        if version is None:
            self.api.create(self._path, body)
            return
        body["metadata"]["resourceVersion"] = version
        self.api.replace(f"{self._path}/{name}", body)

    def names(self, label: str) -> list[str]:
        """The names of those that have the label with the value `true`, oldest first."""
        found = self.api.get(f"{self._path}?labelSelector={label}%3Dtrue").get("items") or []
        found = sorted(found, key=lambda one: str(one["metadata"].get("creationTimestamp", "")))
        return [str(one["metadata"]["name"]) for one in found]

    def delete(self, name: str) -> None:
        self.api.delete(f"{self._path}/{name}")

    @property
    def _path(self) -> str:
        return f"/api/v1/namespaces/{self.namespace}/configmaps"


def packed(content: Mapping[str, Any]) -> bytes:
    """The content as a ConfigMap has it."""
    return gzip.compress(json.dumps(content, sort_keys=True).encode(), mtime=0)


def _body(name: str, content: bytes, labels: Mapping[str, str]) -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": name, "labels": dict(labels)},
        "binaryData": {KEY: base64.b64encode(content).decode()},
    }


def _unpacked(found: Mapping[str, Any]) -> dict[str, Any]:
    try:
        text = gzip.decompress(base64.b64decode(found["binaryData"][KEY]))
        content = json.loads(text)
    except (KeyError, TypeError, ValueError, OSError, EOFError):
        return {}
    return content if isinstance(content, dict) else {}
