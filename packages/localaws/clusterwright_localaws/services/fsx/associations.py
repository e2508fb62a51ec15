"""Data repository associations: a directory of a Lustre file system and an S3 prefix.

Rules from the API model's docstrings (botocore 1.44.5) and AWS's Lustre guide: at most 8 per file
system, not on SCRATCH_1, not on Intelligent-Tiering, no overlapping paths, `/` only for a single
association.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from clusterwright_localaws.core import catalog_facts
from clusterwright_localaws.core.call import Call, operation
from clusterwright_localaws.core.errors import AwsError
from clusterwright_localaws.services.fsx import access
from clusterwright_localaws.services.fsx.lustre import TIERING
from clusterwright_localaws.services.fsx.state import (
    Association,
    FileSystem,
    Filters,
    Store,
    bad_request,
    new_id,
    store_of,
    tag_list,
    tag_map,
)
from clusterwright_localaws.services.s3.world_buckets import find_bucket


@operation("fsx", "CreateDataRepositoryAssociation")
def create_association(call: Call) -> Mapping[str, Any]:
    store = store_of(call)
    return {"Association": view(store.associations.create(call, lambda: _create(call, store)))}


@operation("fsx", "DescribeDataRepositoryAssociations")
def describe_associations(call: Call) -> Mapping[str, Any]:
    filters: Filters[Association] = {
        "file-system-id": lambda association: association.file_system.id,
        "file-system-type": lambda association: association.file_system.kind,
        "data-repository-type": lambda association: "S3",
    }
    return store_of(call).associations.described(
        call, "Associations", "AssociationIds", view, filters, default=25, maximum=25
    )


@operation("fsx", "UpdateDataRepositoryAssociation")
def update_association(call: Call) -> Mapping[str, Any]:
    store = store_of(call)
    association = store.associations.find(call.parameters["AssociationId"])
    if association.lifecycle not in ("AVAILABLE", "MISCONFIGURED"):
        raise bad_request(f"Association {association.id} is {association.lifecycle}.")
    requested = dict(association.request)
    if "ImportedFileChunkSize" in call.parameters:
        requested["ImportedFileChunkSize"] = call.parameters["ImportedFileChunkSize"]
    if "S3" in call.parameters:
        requested["S3"] = {**(requested.get("S3") or {}), **call.parameters["S3"]}
    association.request = requested
    association.lifecycle = "UPDATING"
    store.after(call.world.delays.association, lambda: _settle(association))
    return {"Association": view(association)}


@operation("fsx", "DeleteDataRepositoryAssociation")
def delete_association(call: Call) -> Mapping[str, Any]:
    store = store_of(call)
    association = store.associations.find(call.parameters["AssociationId"])
    if association.lifecycle == "DELETING":
        raise bad_request(f"Association {association.id} is being deleted already.")
    association.lifecycle = "DELETING"
    store.after(
        call.world.delays.association, lambda: store.associations.pop(association.id, None)
    )
    return {
        "AssociationId": association.id,
        "Lifecycle": "DELETING",
        "DeleteDataInFileSystem": bool(call.parameters.get("DeleteDataInFileSystem", False)),
    }


def view(association: Association) -> dict[str, Any]:
    """Return an association in the shape of the API."""
    request = association.request
    answer: dict[str, Any] = {
        "AssociationId": association.id,
        "ResourceARN": association.arn,
        "FileSystemId": association.file_system.id,
        "Lifecycle": association.lifecycle,
        "DataRepositoryPath": request["DataRepositoryPath"],
        "BatchImportMetaDataOnCreate": bool(request.get("BatchImportMetaDataOnCreate", False)),
        "ImportedFileChunkSize": request.get("ImportedFileChunkSize", 1024),
        "CreationTime": association.created_at,
    }
    for name in ("FileSystemPath", "S3"):
        if request.get(name) is not None:
            answer[name] = request[name]
    if association.failure is not None:
        answer["FailureDetails"] = {"Message": association.failure}
    if association.tags:
        answer["Tags"] = tag_list(association.tags)
    return answer


def _create(call: Call, store: Store) -> Association:
    request = {k: v for k, v in call.parameters.items() if k not in ("ClientRequestToken", "Tags")}
    file_system = store.file_systems.find(request["FileSystemId"])
    _check_file_system(file_system)
    existing = store.of_file_system(file_system)
    limit = catalog_facts.catalog().lustre.associations_max
    if len(existing) >= limit:
        raise AwsError(
            "BadRequest",
            f"File system {file_system.id} has {limit} data repository associations, which is the "
            "maximum.",
        )
    _check_path(request.get("FileSystemPath"), existing)
    _check_repository(request["DataRepositoryPath"], existing)
    _check_region(call, request)
    association = Association(
        id=new_id("dra"),
        file_system=file_system,
        created_at=call.now,
        request=request,
        tags=tag_map(call.parameters.get("Tags")),
    )
    store.associations[association.id] = association
    store.after(call.world.delays.association, lambda: _settle(association))
    return association


def _settle(association: Association) -> None:
    """Set AVAILABLE, or MISCONFIGURED where FSx cannot use the bucket."""
    association.failure = access.refusal(association)
    association.lifecycle = "AVAILABLE" if association.failure is None else "MISCONFIGURED"


def _check_file_system(file_system: FileSystem) -> None:
    if file_system.kind != "LUSTRE":
        raise AwsError(
            "UnsupportedOperation", "Data repository associations are for Lustre file systems."
        )
    deployment = file_system.lustre["DeploymentType"]
    if deployment == "SCRATCH_1" or file_system.storage_type == TIERING:
        kind = "Intelligent-Tiering" if file_system.storage_type == TIERING else deployment
        raise AwsError(
            "UnsupportedOperation",
            f"Data repository associations are not supported by {kind} file systems.",
        )
    if "ImportPath" in file_system.lustre:
        raise bad_request("The file system is linked to a data repository by its ImportPath.")
    if file_system.lifecycle not in ("AVAILABLE", "UPDATING"):
        raise bad_request(f"File system {file_system.id} is {file_system.lifecycle}.")


def _check_path(path: str | None, existing: list[Association]) -> None:
    if path is None:
        raise bad_request("FileSystemPath is required for a Lustre file system.")
    if not path.startswith("/"):
        raise bad_request(f"FileSystemPath must start with a slash: {path}")
    if path == "/" and existing:
        raise bad_request("FileSystemPath / is only for the first association of a file system.")
    for other in existing:
        if _overlaps(path, other.request["FileSystemPath"]):
            raise bad_request(
                f"FileSystemPath {path} overlaps with {other.request['FileSystemPath']} of "
                f"association {other.id}."
            )


def _check_repository(path: str, existing: list[Association]) -> None:
    parts = urlsplit(path)
    if parts.scheme != "s3" or not parts.netloc:
        raise bad_request(f"DataRepositoryPath must be s3://bucket-name/prefix/: {path}")
    # Buckets of other accounts too; access is checked when the association is created.
    if find_bucket(parts.netloc) is None:
        raise bad_request(f"The S3 bucket {parts.netloc} does not exist or is not accessible.")
    if parts.netloc.endswith("--x-s3"):
        raise bad_request("Directory buckets cannot be linked by a data repository association.")
    for other in existing:
        if _overlaps(path, other.request["DataRepositoryPath"]):
            raise bad_request(
                f"DataRepositoryPath {path} overlaps with "
                f"{other.request['DataRepositoryPath']} of association {other.id}."
            )


def _check_region(call: Call, request: Mapping[str, Any]) -> None:
    """Automatic import and export require the bucket in the file system's region.

    https://docs.aws.amazon.com/fsx/latest/LustreGuide/create-dra-linked-data-repo.html
    """
    bucket = find_bucket(urlsplit(request["DataRepositoryPath"]).netloc)
    settings = request.get("S3") or {}
    automatic = settings.get("AutoImportPolicy") or settings.get("AutoExportPolicy")
    if automatic and bucket is not None and bucket.region_name != call.region:
        raise bad_request(
            f"The S3 bucket {bucket.name} is in {bucket.region_name}: automatic import and export "
            f"need a bucket in {call.region}."
        )


def _overlaps(one: str, other: str) -> bool:
    first, second = one.rstrip("/") + "/", other.rstrip("/") + "/"
    return first.startswith(second) or second.startswith(first)
