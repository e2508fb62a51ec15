"""Lambda functions, layers and permissions. They are stored, never run."""

from __future__ import annotations

import io
import zipfile
from typing import Any

from clusterwright_localaws.cloudformation.handler import Context, Created, Handler, Properties
from clusterwright_localaws.cloudformation.handler_helpers import (
    changed,
    pick,
    retag,
)

_CONFIGURATION = (
    "DeadLetterConfig",
    "Description",
    "Environment",
    "EphemeralStorage",
    "FileSystemConfigs",
    "Handler",
    "ImageConfig",
    "Layers",
    "LoggingConfig",
    "MemorySize",
    "Role",
    "Runtime",
    "Timeout",
    "TracingConfig",
    "VpcConfig",
)
_NAME_LIMIT = 64


class Function(Handler):
    type_name = "AWS::Lambda::Function"
    unsupported_attributes = frozenset({"SnapStartResponse"})
    supported_properties = frozenset(
        {
            *_CONFIGURATION,
            "Architectures",
            "Code",
            "FunctionName",
            "KmsKeyArn",
            "PackageType",
            "ReservedConcurrentExecutions",
            "Tags",
        }
    )

    def create(self, ctx: Context, properties: Properties) -> Created:
        functions = ctx.client("lambda")
        name = properties.get("FunctionName") or ctx.generated_name(max_length=_NAME_LIMIT)
        functions.create_function(
            FunctionName=name,
            Code=_code(properties),
            **pick(
                properties, *_CONFIGURATION, "Architectures", "PackageType", KmsKeyArn="KMSKeyArn"
            ),
            **ctx.tagging(properties, as_map=True),
        )
        ctx.identify(name)
        self._reserve(functions, name, {}, properties)
        return self._created(ctx, name)

    def update(self, ctx: Context, physical_id: str, old: Properties, new: Properties) -> Created:
        functions = ctx.client("lambda")
        if changed(old, new, "Code", "Architectures"):
            functions.update_function_code(
                FunctionName=physical_id, **_code(new), **pick(new, "Architectures")
            )
        if changed(old, new, *_CONFIGURATION, "KmsKeyArn"):
            functions.update_function_configuration(
                FunctionName=physical_id,
                **pick(new, *_CONFIGURATION, KmsKeyArn="KMSKeyArn"),
            )
        self._reserve(functions, physical_id, old, new)
        created = self._created(ctx, physical_id)
        arn = created.attributes["Arn"]
        retag(ctx, "lambda", old, new, Resource=arn)
        return created

    def delete(self, ctx: Context, physical_id: str, properties: Properties) -> None:
        ctx.client("lambda").delete_function(FunctionName=physical_id)

    def read(self, ctx: Context, physical_id: str, properties: Properties) -> Properties:
        found = ctx.client("lambda").get_function(FunctionName=physical_id)["Configuration"]
        actual = pick(
            found,
            "Description",
            "FunctionName",
            "Handler",
            "MemorySize",
            "Role",
            "Runtime",
            "Timeout",
        )
        if "Environment" in properties:
            actual["Environment"] = {
                "Variables": found.get("Environment", {}).get("Variables", {})
            }
        return actual

    def _reserve(self, functions: Any, name: str, old: Properties, new: Properties) -> None:
        if not changed(old, new, "ReservedConcurrentExecutions"):
            return
        if "ReservedConcurrentExecutions" in new:
            functions.put_function_concurrency(
                FunctionName=name,
                ReservedConcurrentExecutions=new["ReservedConcurrentExecutions"],
            )
        else:
            functions.delete_function_concurrency(FunctionName=name)

    def _created(self, ctx: Context, name: str) -> Created:
        arn = f"arn:{ctx.partition}:lambda:{ctx.region}:{ctx.account}:function:{name}"
        return Created(name, {"Arn": arn})


class LayerVersion(Handler):
    type_name = "AWS::Lambda::LayerVersion"

    def create(self, ctx: Context, properties: Properties) -> Created:
        name = properties.get("LayerName") or ctx.generated_name(max_length=_NAME_LIMIT)
        arn = ctx.client("lambda").publish_layer_version(
            LayerName=name,
            Content=properties["Content"],
            **pick(
                properties,
                "CompatibleArchitectures",
                "CompatibleRuntimes",
                "Description",
                "LicenseInfo",
            ),
        )["LayerVersionArn"]
        return Created(arn, {"LayerVersionArn": arn})

    def delete(self, ctx: Context, physical_id: str, properties: Properties) -> None:
        name, version = physical_id.rsplit(":", 2)[-2:]
        ctx.client("lambda").delete_layer_version(LayerName=name, VersionNumber=int(version))


class Permission(Handler):
    type_name = "AWS::Lambda::Permission"
    unsupported_properties = frozenset({"InvokedViaFunctionUrl"})

    def create(self, ctx: Context, properties: Properties) -> Created:
        statement = ctx.generated_name(max_length=100)
        ctx.client("lambda").add_permission(
            StatementId=statement,
            **pick(
                properties,
                "Action",
                "EventSourceToken",
                "FunctionName",
                "FunctionUrlAuthType",
                "Principal",
                "PrincipalOrgID",
                "SourceAccount",
                "SourceArn",
            ),
        )
        return Created(statement, {"Id": statement})

    def delete(self, ctx: Context, physical_id: str, properties: Properties) -> None:
        ctx.client("lambda").remove_permission(
            FunctionName=properties["FunctionName"], StatementId=physical_id
        )


def _code(properties: Properties) -> dict[str, Any]:
    code = properties["Code"]
    if "ZipFile" not in code:
        return pick(code, "ImageUri", "S3Bucket", "S3Key", "S3ObjectVersion")
    # Inline code becomes the file that the handler's name requires.
    # https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-properties-lambda-function-code.html
    suffix = "py" if str(properties.get("Runtime", "")).startswith("python") else "js"
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        entry = zipfile.ZipInfo(f"index.{suffix}")
        entry.external_attr = 0o644 << 16
        archive.writestr(entry, code["ZipFile"])
    return {"ZipFile": packed.getvalue()}
