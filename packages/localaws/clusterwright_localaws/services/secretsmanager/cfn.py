"""Secrets, and the databases that they are attached to."""

from __future__ import annotations

import json
from typing import Any

from clusterwright_localaws.cloudformation.handler import (
    Context,
    Created,
    Handler,
    HandlerFailure,
    Properties,
)
from clusterwright_localaws.cloudformation.handler_helpers import changed, pick, retag


class Secret(Handler):
    type_name = "AWS::SecretsManager::Secret"
    unsupported_properties = frozenset({"ReplicaRegions", "Type"})

    def create(self, ctx: Context, properties: Properties) -> Created:
        secrets = ctx.client("secretsmanager")
        # AWS's generated names start with the logical id.
        name = properties.get("Name") or f"{ctx.logical_id}-{ctx.suffix}"
        arn = secrets.create_secret(
            Name=name,
            SecretString=self._value(secrets, properties),
            **pick(properties, "Description", "KmsKeyId"),
            **ctx.tagging(properties),
        )["ARN"]
        return Created(arn, {"Id": arn})

    def update(self, ctx: Context, physical_id: str, old: Properties, new: Properties) -> Created:
        secrets = ctx.client("secretsmanager")
        parameters = pick(new, "Description", "KmsKeyId")
        if changed(old, new, "SecretString", "GenerateSecretString"):
            parameters["SecretString"] = self._value(secrets, new)
        if parameters and old != new:
            secrets.update_secret(SecretId=physical_id, **parameters)
        retag(ctx, "secretsmanager", old, new, SecretId=physical_id)
        return Created(physical_id, {"Id": physical_id})

    def delete(self, ctx: Context, physical_id: str, properties: Properties) -> None:
        # CloudFormation deletes a secret without a recovery window.
        # https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-secretsmanager-secret.html
        ctx.client("secretsmanager").delete_secret(
            SecretId=physical_id, ForceDeleteWithoutRecovery=True
        )

    def _value(self, secrets: Any, properties: Properties) -> str:
        if "SecretString" in properties:
            return str(properties["SecretString"])
        settings = properties.get("GenerateSecretString", {})
        password = secrets.get_random_password(
            **pick(
                settings,
                "ExcludeCharacters",
                "ExcludeLowercase",
                "ExcludeNumbers",
                "ExcludePunctuation",
                "ExcludeUppercase",
                "IncludeSpace",
                "PasswordLength",
                "RequireEachIncludedType",
            )
        )["RandomPassword"]
        if "SecretStringTemplate" not in settings:
            return str(password)
        try:
            value = json.loads(settings["SecretStringTemplate"])
            value[settings["GenerateStringKey"]] = password
        except (ValueError, KeyError, TypeError):
            raise HandlerFailure(
                "You must specify a valid JSON SecretStringTemplate together with "
                "GenerateStringKey",
                "InvalidRequest",
            ) from None
        return json.dumps(value)


class SecretTargetAttachment(Handler):
    """Writes the connection of a database into its secret.

    https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-secretsmanager-secrettargetattachment.html
    """

    type_name = "AWS::SecretsManager::SecretTargetAttachment"

    def create(self, ctx: Context, properties: Properties) -> Created:
        self._write(ctx, properties["SecretId"], self._connection(ctx, properties))
        return Created(properties["SecretId"], {"Id": properties["SecretId"]})

    def update(self, ctx: Context, physical_id: str, old: Properties, new: Properties) -> Created:
        self._write(ctx, new["SecretId"], self._connection(ctx, new))
        return Created(physical_id, {"Id": physical_id})

    def delete(self, ctx: Context, physical_id: str, properties: Properties) -> None:
        self._write(
            ctx,
            properties["SecretId"],
            dict.fromkeys(
                ("engine", "host", "port", "dbname", "dbClusterIdentifier", "dbInstanceIdentifier")
            ),
        )

    def _connection(self, ctx: Context, properties: Properties) -> dict[str, Any]:
        rds, name = ctx.client("rds"), properties["TargetId"]
        kind = properties["TargetType"]
        if kind == "AWS::RDS::DBInstance":
            db_instance = rds.describe_db_instances(DBInstanceIdentifier=name)["DBInstances"][0]
            return {
                "engine": db_instance["Engine"],
                "host": db_instance["Endpoint"]["Address"],
                "port": db_instance["Endpoint"]["Port"],
                "dbname": db_instance.get("DBName"),
                "dbInstanceIdentifier": name,
            }
        raise HandlerFailure(f"The local AWS does not attach secrets to {kind}", "InvalidRequest")

    def _write(self, ctx: Context, secret: str, connection: dict[str, Any]) -> None:
        secrets = ctx.client("secretsmanager")
        text = secrets.get_secret_value(SecretId=secret)["SecretString"]
        try:
            value = json.loads(text)
        except ValueError:
            raise HandlerFailure(
                "The secret string is not a JSON object", "InvalidRequest"
            ) from None
        for key, item in connection.items():
            if item is None:
                value.pop(key, None)
            else:
                value[key] = item
        secrets.put_secret_value(SecretId=secret, SecretString=json.dumps(value))
