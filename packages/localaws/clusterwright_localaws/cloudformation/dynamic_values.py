"""Values that depend on account and region: pseudo parameters, zones, SSM, secrets."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from clusterwright_localaws.cloudformation.errors import ValidationError
from clusterwright_localaws.cloudformation.parameters import SsmValue
from clusterwright_localaws.cloudformation.state import Stack
from clusterwright_localaws.iam.inside import acting_as
from clusterwright_localaws.iam.stacks import demand
from clusterwright_localaws.services.ec2.zones import partition_of

_URL_SUFFIXES = {"aws": "amazonaws.com", "aws-cn": "amazonaws.com.cn"}
_DYNAMIC = re.compile(r"\{\{resolve:(ssm|ssm-secure|secretsmanager):([^{}]+)\}\}")


def url_suffix(partition: str) -> str:
    """Return the domain that the services of a partition are under."""
    return _URL_SUFFIXES.get(partition, "amazonaws.com")


def pseudo_parameters(stack: Stack, notification_arns: list[str]) -> dict[str, Any]:
    """Return the pseudo parameters of a stack.

    https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/pseudo-parameter-reference.html
    """
    return {
        **pseudo_parameters_without_stack(stack.account, stack.region),
        "AWS::NotificationARNs": notification_arns,
        "AWS::StackId": stack.stack_id,
        "AWS::StackName": stack.name,
    }


def pseudo_parameters_without_stack(account: str, region: str) -> dict[str, Any]:
    """Return the pseudo parameters that all stacks of an account and region share."""
    partition = partition_of(region)
    return {
        "AWS::AccountId": account,
        "AWS::Partition": partition,
        "AWS::Region": region,
        "AWS::URLSuffix": url_suffix(partition),
    }


def zones(account: str, region: str) -> list[str]:
    """Return the names of a region's Availability Zones, as ``Fn::GetAZs`` does."""
    from clusterwright_localaws.core.boto_clients import client

    # Fn::GetAZs needs no permission of the caller's that AWS documents.
    with acting_as(None):
        found = client("ec2", account=account, region=region).describe_availability_zones()
    return sorted(
        zone["ZoneName"]
        for zone in found["AvailabilityZones"]
        if zone.get("ZoneType", "availability-zone") == "availability-zone"
    )


def ssm_value(account: str, region: str, name: str) -> SsmValue | None:
    """Return an SSM parameter's value, or None where there is none of that name."""
    from botocore.exceptions import ClientError

    from clusterwright_localaws.core.boto_clients import client

    try:
        # CloudFormation calls GetParameters for any number of names.
        demand("ssm:GetParameters", _parameter_arn(account, region, name), region)
        with acting_as(None):
            found = client("ssm", account=account, region=region).get_parameter(
                Name=name, WithDecryption=True
            )
    except PermissionError as error:
        raise ValidationError(str(error)) from error
    except ClientError:
        return None
    parameter = found["Parameter"]
    kind = parameter["Type"]
    return SsmValue(
        parameter["Value"], is_secure=kind == "SecureString", is_list=kind == "StringList"
    )


def _parameter_arn(account: str, region: str, name: str) -> str:
    parameter = name.split(":", maxsplit=1)[0].lstrip("/")
    return f"arn:{partition_of(region)}:ssm:{region}:{account}:parameter/{parameter}"


def fill_dynamic(value: Any, account: str, region: str) -> Any:
    """Replace every ``{{resolve:...}}`` in a value by the value that it refers to.

    https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/dynamic-references.html

    Raises
    ------
    ValidationError
        The parameter or the secret does not exist, or a secure string is not named as such.
    """
    if isinstance(value, Mapping):
        return {key: fill_dynamic(item, account, region) for key, item in value.items()}
    if isinstance(value, list):
        return [fill_dynamic(item, account, region) for item in value]
    if not isinstance(value, str) or "{{resolve:" not in value:
        return value
    return _DYNAMIC.sub(
        lambda match: _dynamic(match.group(1), match.group(2), account, region), value
    )


def _dynamic(service: str, reference: str, account: str, region: str) -> str:
    if service == "secretsmanager":
        return _secret(reference, account, region)
    # ssm:name or ssm:name:version; SSM itself reads the version after a colon.
    found = ssm_value(account, region, reference)
    if found is None:
        raise ValidationError(
            f"Unable to fetch parameters [{reference}] from parameter store for this account."
        )
    if found.is_secure and service == "ssm":
        raise ValidationError(f"Non-secure ssm prefix was used for secure parameter: {reference}")
    return found.text


def _secret(reference: str, account: str, region: str) -> str:
    from botocore.exceptions import ClientError

    from clusterwright_localaws.core.boto_clients import client

    # secret-id:SecretString:json-key:version-stage:version-id, where an ARN is an id too.
    name, _, rest = reference.partition(":SecretString")
    parts = rest.split(":")[1:] if rest else []
    key, stage, version = [*parts, "", "", ""][:3]
    request: dict[str, str] = {"SecretId": name}
    if stage:
        request["VersionStage"] = stage
    if version:
        request["VersionId"] = version
    try:
        answer = client("secretsmanager", account=account, region=region).get_secret_value(
            **request
        )
    except ClientError as error:
        raise ValidationError(
            f"Could not find a value associated with {name}: {error.response['Error']['Message']}"
        ) from None
    value: str = answer["SecretString"]
    if not key:
        return value
    # The messages are as recorded on AWS: docs/reference/probes.md, source `parameter-values`.
    try:
        members = json.loads(value)
    except ValueError:
        raise ValidationError("Could not parse SecretString JSON") from None
    try:
        return str(members[key])
    except (KeyError, TypeError):
        raise ValidationError(
            "Could not find a value associated with JSONKey in SecretString"
        ) from None
