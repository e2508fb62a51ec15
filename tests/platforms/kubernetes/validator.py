"""Whether an API server would take an object: a strict validator, for tests.

- built-in kinds and pods: the OpenAPI schemas of the chosen version, strict (no unknown keys),
  from the package kubernetes-validate;
- custom resources: `schemas/*.json`, condensed from public sources (each says which), with the
  CEL rules that an API server evaluates when an object is made;
- what the API server checks in code and no schema says: names, labels, quantities, duplicate
  names, huge pages and devices whose requests differ from their limits.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import celpy
import jsonschema
from celpy import celtypes
from celpy.evaluation import CELEvalError
from referencing import Registry, Resource

SCHEMAS = Path(__file__).with_name("schemas")
RULES = "x-kubernetes-validations"

SUBDOMAIN = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")
LABEL_NAME = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?")
QUALIFIED = re.compile(
    r"([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?"
    r"([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)"
)
LABEL_VALUE = re.compile(r"(([A-Za-z0-9][-A-Za-z0-9_.]{0,61})?[A-Za-z0-9])?")
QUANTITY = re.compile(r"[0-9]+(\.[0-9]+)?(m|k|M|G|T|P|E|Ki|Mi|Gi|Ti|Pi|Ei)?")

LABEL_NAMED = ("Namespace", "PyTorchJob", "MPIJob", "HyperPodPyTorchJob", "JobSet", "TrainJob")
"""Kinds whose names become labels or host names: at most 63 characters, without dots."""


def errors(manifest: dict[str, Any], version: str) -> list[str]:
    """Return why the object is refused; empty if it is accepted."""
    found = list(_schema_errors(manifest, version))
    if not found:
        found += _rule_errors(manifest)
        found += _metadata_errors(manifest)
        found += _coded_errors(manifest)
    return [f"{manifest.get('kind')}/{_name(manifest)}: {each}" for each in found]


def set_errors(manifests: list[dict[str, Any]]) -> list[str]:
    """Problems between objects: duplicate names, a missing namespace."""
    found = []
    seen: set[tuple[str, ...]] = set()
    for each in manifests:
        metadata = each["metadata"]
        key = (each["apiVersion"], each["kind"], metadata.get("namespace", ""), metadata["name"])
        if key in seen:
            found.append(f"{key} is there twice")
        seen.add(key)
    namespaces = {m["metadata"]["name"] for m in manifests if m["kind"] == "Namespace"}
    for each in manifests:
        namespace = each["metadata"].get("namespace")
        if namespace is not None and namespaces and namespace not in namespaces | {"argocd"}:
            found.append(f"{_name(each)} is in {namespace}, which nobody makes")
    return found


@cache
def custom_kinds() -> dict[tuple[str, str], dict[str, Any]]:
    """Copies of custom resource definitions, by version and kind."""
    found = {}
    for path in sorted(SCHEMAS.glob("*.json")):
        document = json.loads(path.read_text(encoding="utf-8"))
        properties = document["schema"]["properties"]
        found[properties["apiVersion"]["const"], properties["kind"]["const"]] = document
    return found


# -- schemas ------------------------------------------------------------------------------------


@cache
def _definitions(version: str) -> tuple[Path, Registry[Any]]:
    folder = files("kubernetes_validate") / "kubernetes-json-schema" / f"v{version}.0-local-strict"
    folder = Path(str(folder))
    assert folder.is_dir(), f"no schemas of Kubernetes {version}"
    definitions = json.loads((folder / "_definitions.json").read_text(encoding="utf-8"))
    return folder, Resource.from_contents(definitions) @ Registry()


@cache
def _validator(version: str, api_version: str, kind: str) -> Any:
    folder, registry = _definitions(version)
    custom = custom_kinds().get((api_version, kind))
    if custom is not None:
        schema = custom["schema"]
    else:
        # rbac.authorization.k8s.io/v1 -> rbac-v1
        name = re.sub(r"^([^./]*)(?:\.[^/]*)?/", r"\1-", api_version)
        path = folder / f"{kind.lower()}-{name}.json"
        if not path.is_file():
            return None
        schema = json.loads(path.read_text(encoding="utf-8"))
    return jsonschema.Draft202012Validator(schema, registry=registry)


def _schema_errors(manifest: dict[str, Any], version: str) -> Iterator[str]:
    api_version, kind = str(manifest.get("apiVersion")), str(manifest.get("kind"))
    validator = _validator(version, api_version, kind)
    if validator is None:
        yield f"Kubernetes {version} has no {kind} of {api_version}, and no copy of it is here"
        return
    for error in validator.iter_errors(manifest):
        yield f"{'.'.join(map(str, error.absolute_path))}: {error.message}"


# -- CEL ----------------------------------------------------------------------------------------


def rules() -> list[tuple[str, str]]:
    """Every rule of the copies, with its kind."""
    found = []
    for (_, kind), document in custom_kinds().items():
        found += [(kind, rule["rule"]) for _, rule in _rules_of(document["schema"])]
    return found


def is_of_changes(rule: str) -> bool:
    """Return whether the rule compares an object with its former version."""
    return "oldSelf" in rule


def _rules_of(schema: Any) -> Iterator[tuple[dict[str, Any], dict[str, str]]]:
    if isinstance(schema, dict):
        for rule in schema.get(RULES, ()):
            yield schema, rule
        for key, child in schema.items():
            if key != RULES:
                yield from _rules_of(child)
    elif isinstance(schema, list):
        for child in schema:
            yield from _rules_of(child)


def _find(text: celtypes.StringType, pattern: celtypes.StringType) -> celtypes.StringType:
    """Kubernetes' function of strings: the first match, or nothing."""
    found = re.search(str(pattern), str(text))
    return celtypes.StringType(found.group() if found else "")


@cache
def _program(rule: str) -> celpy.Runner:
    environment = celpy.Environment()
    return environment.program(environment.compile(rule), functions={"find": _find})


def holds(rule: str, value: Any) -> bool:
    """Return whether a rule holds for `self`.

    Raises a CEL error if the library cannot evaluate it.
    """
    result = _program(rule).evaluate({"self": celpy.json_to_cel(value)})
    if isinstance(result, CELEvalError):
        raise result
    return bool(result)


def _rule_errors(manifest: dict[str, Any]) -> Iterator[str]:
    custom = custom_kinds().get((manifest["apiVersion"], manifest["kind"]))
    if custom is not None:
        yield from _apply(manifest, custom["schema"], "")


def _apply(value: Any, schema: dict[str, Any], path: str) -> Iterator[str]:
    for rule in schema.get(RULES, ()):
        if not is_of_changes(rule["rule"]) and not holds(rule["rule"], value):
            yield f"{path or 'object'}: {rule['message']}"
    if isinstance(value, dict):
        for key, child in value.items():
            below = schema.get("properties", {}).get(key, schema.get("additionalProperties"))
            if isinstance(below, dict):
                yield from _apply(child, below, f"{path}.{key}".lstrip("."))
    if isinstance(value, list):
        for index, item in enumerate(value):
            yield from _apply(item, schema.get("items", {}), f"{path}[{index}]")


# -- what is checked in code --------------------------------------------------------------------


def _name(manifest: dict[str, Any]) -> str:
    return str(manifest.get("metadata", {}).get("name"))


def _metadata_errors(manifest: dict[str, Any]) -> Iterator[str]:
    metadata, kind = manifest["metadata"], manifest["kind"]
    name = metadata.get("name", "")
    if kind in LABEL_NAMED:
        if len(name) > 63 or not LABEL_NAME.fullmatch(name):
            yield f"the name {name!r} is no label of DNS"
    elif len(name) > 253 or not SUBDOMAIN.fullmatch(name):
        yield f"the name {name!r} is no name of DNS"
    namespace = metadata.get("namespace")
    if namespace is not None and (len(namespace) > 63 or not LABEL_NAME.fullmatch(namespace)):
        yield f"the namespace {namespace!r} is none"
    for key, value in {**metadata.get("labels", {}), **metadata.get("annotations", {})}.items():
        if not QUALIFIED.fullmatch(key):
            yield f"the label {key!r} is none"
        if key in metadata.get("labels", {}) and not LABEL_VALUE.fullmatch(value):
            yield f"the label {key} has a value that is none: {value!r}"
    namespaced = _is_namespaced(manifest)
    if namespaced is not None and namespaced != (namespace is not None):
        yield "it has a namespace and must not" if namespace else "it has no namespace"


CLUSTER_WIDE = (
    "Namespace",
    "PersistentVolume",
    "PriorityClass",
    "StorageClass",
    "ClusterRole",
    "ClusterRoleBinding",
)


def _is_namespaced(manifest: dict[str, Any]) -> bool | None:
    custom = custom_kinds().get((manifest["apiVersion"], manifest["kind"]))
    if custom is not None:
        return bool(custom["scope"] == "Namespaced")
    return manifest["kind"] not in CLUSTER_WIDE


def _coded_errors(manifest: dict[str, Any]) -> Iterator[str]:
    if manifest["kind"] == "PriorityClass" and manifest["metadata"]["name"].startswith("system-"):
        yield "names that begin with system- are Kubernetes' own"
    yield from _walk(manifest, "")


def _walk(value: Any, path: str) -> Iterator[str]:
    if isinstance(value, dict):
        if "containers" in value:
            yield from _pod(value, path)
        for key, child in value.items():
            here = f"{path}.{key}".lstrip(".")
            if key in ("requests", "limits", "hard", "capacity", "defaultRequest"):
                yield from _quantities(child, here)
            if key in ("nominalQuota", "borrowingLimit", "lendingLimit", "sizeLimit", "weight"):
                yield from _quantities({key: child}, here)
            yield from _walk(child, here)
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _walk(item, f"{path}[{index}]")


def _quantities(resources: Any, path: str) -> Iterator[str]:
    for name, amount in resources.items() if isinstance(resources, dict) else ():
        if not QUANTITY.fullmatch(str(amount)):
            yield f"{path}.{name}: {amount!r} is no quantity"
        if not QUALIFIED.fullmatch(name.removeprefix("requests.").removeprefix("limits.")):
            yield f"{path}: {name!r} is no resource"


def _pod(pod: dict[str, Any], path: str) -> Iterator[str]:
    volumes = [volume["name"] for volume in pod.get("volumes", ())]
    names = [container["name"] for container in pod["containers"]]
    for kind, found in (("volume", volumes), ("container", names)):
        for name in found:
            if len(name) > 63 or not LABEL_NAME.fullmatch(name):
                yield f"{path}: the {kind} {name!r} has no name of DNS"
        if len(set(found)) != len(found):
            yield f"{path}: two of the {kind}s have one name"
    for container in pod["containers"]:
        yield from _resources(container.get("resources", {}), path)
        mounts = container.get("volumeMounts", ())
        paths = [mount["mountPath"] for mount in mounts]
        if len(set(paths)) != len(paths):
            yield f"{path}: two volumes are mounted at one place"
        for mount in mounts:
            if mount["name"] not in volumes:
                yield f"{path}: there is no volume {mount['name']}"
        if not container.get("image"):
            yield f"{path}: a container without an image"


def _resources(resources: dict[str, Any], path: str) -> Iterator[str]:
    requests, limits = resources.get("requests", {}), resources.get("limits", {})
    for name in {*requests, *limits}:
        # Extended resources and huge pages cannot be overcommitted.
        whole = "/" in name or name.startswith("hugepages-")
        if whole and requests.get(name) != limits.get(name):
            yield f"{path}: {name} is requested and limited differently"
    paged = any(name.startswith("hugepages-") for name in limits)
    if paged and not {"cpu", "memory"} & {*requests, *limits}:
        yield f"{path}: huge pages need a request of cpu or memory"
