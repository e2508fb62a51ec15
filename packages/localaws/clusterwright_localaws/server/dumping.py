"""`--dump FILE`: the state of a local AWS as one JSON document.

`accounts` → region → service → what is kept there, by the names that the implementations use.
Implemented services and moto's are dumped alike, so the inner structure follows the code and may
change; accounts, regions, services and resource ids do not. Secrets, key material and the contents
of objects are left out, and so are AWS's own catalogues (images, managed policies), which are not
state.
"""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Iterable, Mapping
from datetime import UTC, date, datetime
from decimal import Decimal
from enum import Enum
from pathlib import Path
from typing import Any, Final

from clusterwright import files
from clusterwright_localaws.core.runtime import Runtime
from clusterwright_localaws.server.redaction import REDACTED

SCHEMA_VERSION: Final = 1
_DEEPEST = 9
_SECRET = re.compile(
    r"password|passphrase|secret_?(string|binary|access_?key|key|value|data)|private_?key"
    r"|key_?material|^material$|auth_?token|session_?token|access_?token|client_?secret"
    r"|user_?data|environment_vars|^plaintext$",
    re.IGNORECASE,
)
# Managed policies of AWS's own are the same everywhere.
_OF_AWS = re.compile(r"arn:aws[a-z-]*:iam::aws:")
# Members that locate a backend, which the document contains already.
_WHERE = frozenset({"account", "account_id", "region", "region_name", "partition", "runtime"})
# AWS's own catalogues in moto, by service.
_CATALOGUES: Final[Mapping[str, frozenset[str]]] = {
    "ec2": frozenset({"amis", "deleted_amis", "instance_types", "zones", "regions"}),
    "iam": frozenset({"aws_managed_policies", "initialize_service_roles"}),
    "ssm": frozenset({"default_parameters"}),
    "rds": frozenset({"orderable_db_instance_options", "db_cluster_options"}),
}


def dump(runtime: Runtime) -> dict[str, Any]:
    """Return the whole state: implemented services and moto's, in a stable order."""
    accounts: dict[str, dict[str, dict[str, Any]]] = {}

    def put(account: str, region: str, service: str, state: Any) -> None:
        if state not in (None, {}, [], ""):
            regions = accounts.setdefault(account, {}).setdefault(region, {})
            regions.setdefault(service, {}).update(
                state if isinstance(state, dict) else {"state": state}
            )

    with runtime.lock:
        for kind, account, region, store in runtime.everything():
            if account:  # stores without an account are internal
                put(account, region, kind, _Walk(kind).store(store))
    for service, account, region, backend in _backends():
        put(account, region, service, _Walk(service).members(backend))
    return {
        "schema_version": SCHEMA_VERSION,
        "time": runtime.clock.now().astimezone(UTC).isoformat(timespec="seconds"),
        "world": {"account": runtime.world.account, "region": runtime.world.region},
        "accounts": accounts,
    }


def write_dump(runtime: Runtime, path: Path) -> None:
    """Write the state to `path` atomically.

    Raises
    ------
    OSError
        The file cannot be written.
    """
    text = json.dumps(dump(runtime), indent=1, sort_keys=True, ensure_ascii=False) + "\n"
    files.write_atomically(path, text.encode("utf-8", "replace"), mode=0o600)


def _backends() -> Iterable[tuple[str, str, str, Any]]:
    from moto.core.base_backend import BackendDict

    instances: list[Any] = list(BackendDict._instances)  # type: ignore[misc]
    for backends in instances:
        for account, regions in sorted(backends.items()):
            for region, backend in sorted(regions.items()):
                yield backends.service_name, str(account), str(region), backend


class _Walk:
    """Converts objects to plain values; an object inside itself becomes a reference."""

    def __init__(self, service: str) -> None:
        self._above: list[int] = []
        self._hidden: set[str] = set()
        self._left_out = _CATALOGUES.get(service, frozenset())

    def members(self, value: Any, depth: int = 0) -> dict[str, Any]:
        """Return an object's public attributes that have a value."""
        found = {}
        for name, item in sorted(_attributes(value).items()):
            if depth == 0 and name in _WHERE:
                continue
            if name.startswith("_"):
                # Our stores keep state in private attributes; moto keeps caches there.
                if not type(value).__module__.startswith("clusterwright_localaws."):
                    continue
                name = name.lstrip("_")  # noqa: PLW2901
            if name in self._left_out:
                continue
            if _SECRET.search(name):
                if item not in (None, "", b"", {}, []):
                    found[name] = REDACTED
                continue
            plain = self.of(item, depth + 1)
            if name == "tagger" and isinstance(plain, dict):
                plain = plain.get("tags")
            if plain not in (None, {}, [], ""):
                found[name] = plain
        hidden = getattr(value, "hidden", False) is True  # a template's NoEcho parameter
        if hidden and isinstance(found.get("value"), str):
            self._hidden.add(found["value"])
        if "value" in found and (hidden or str(found.get("type")) == "SecureString"):
            found["value"] = REDACTED
        return self._without_hidden(found) if depth == 0 and self._hidden else found

    def _without_hidden(self, plain: Any) -> Any:
        """Return the value without values of NoEcho parameters, wherever they were resolved."""
        if isinstance(plain, str):
            for secret in self._hidden:
                plain = plain.replace(secret, REDACTED) if secret else plain
            return plain
        if isinstance(plain, dict):
            return {key: self._without_hidden(item) for key, item in plain.items()}
        if isinstance(plain, list):
            return [self._without_hidden(item) for item in plain]
        return plain

    def store(self, value: Any) -> Any:
        """Convert one of our stores: an object, or a plain container."""
        plain = isinstance(value, (Mapping, list, tuple, set, str, int, float, bool))
        return self.of(value) if plain else self.members(value)

    def of(self, value: Any, depth: int = 0) -> Any:
        """Convert a value to JSON types."""
        if isinstance(value, Enum):
            return value.name
        if value is None or isinstance(value, (bool, int, float, str)):
            return value
        if isinstance(value, (bytes, bytearray)):
            return {"bytes": len(value)}
        if isinstance(value, (datetime, date)):
            return value.isoformat()
        if isinstance(value, Decimal):
            return str(value)
        if callable(value) or _is_machinery(value):
            return None
        if depth > _DEEPEST or id(value) in self._above:
            return _reference(value)
        self._above.append(id(value))
        try:
            if isinstance(value, Mapping):
                return {
                    self._key(key): REDACTED
                    if isinstance(key, str) and _SECRET.search(key) and not isinstance(item, dict)
                    else self.of(item, depth + 1)
                    for key, item in sorted(dict(value).items(), key=lambda pair: str(pair[0]))
                    if not _OF_AWS.match(str(key))
                }
            if isinstance(value, (set, frozenset)):
                return sorted((self.of(item, depth + 1) for item in value), key=str)
            if isinstance(value, (list, tuple)):
                return [self.of(item, depth + 1) for item in value]
            return self.members(value, depth)
        finally:
            self._above.pop()

    def _key(self, key: Any) -> str:
        if isinstance(key, tuple):
            return "/".join(str(part) for part in key)
        return str(key.value if isinstance(key, Enum) else key)


def _attributes(value: Any) -> dict[str, Any]:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {each.name: getattr(value, each.name, None) for each in dataclasses.fields(value)}
    found = dict(getattr(value, "__dict__", {}))
    if not found:
        for kind in type(value).__mro__:
            for name in getattr(kind, "__slots__", ()):
                if hasattr(value, name):
                    found[name] = getattr(value, name)
    return found


def _is_machinery(value: Any) -> bool:
    """Return whether a value is machinery: a backend, a runtime, a lock, a thread, a module."""
    from moto.core.base_backend import BackendDict, BaseBackend

    if isinstance(value, (BaseBackend, BackendDict, Runtime)):
        return True
    return type(value).__module__ in ("_thread", "threading", "types", "concurrent.futures")


def _reference(value: Any) -> str:
    for name in ("arn", "id", "name"):
        found = getattr(value, name, None)
        if isinstance(found, str):
            return found
    return type(value).__name__
