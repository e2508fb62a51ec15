"""``Custom::PclusterCluster``: a cluster of AWS ParallelCluster, created by AWS's provider.

What the provider does with the properties is read from its function (`cluster.yaml` of
aws/aws-parallelcluster at 3.13.1): the name cannot change, the tags of the stack join those of the
configuration, errors are JSON, a retained cluster is not changed. The modules beside this one
create the cluster.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from clusterwright_localaws.cloudformation.handler import (
    Context,
    Created,
    Handler,
    HandlerFailure,
    Properties,
)
from clusterwright_localaws.core.runtime import runtime
from clusterwright_localaws.services.parallelcluster import fleets
from clusterwright_localaws.services.parallelcluster.cluster_driver import ClusterOrder, driver_of
from clusterwright_localaws.services.parallelcluster.cluster_stack import OUTPUTS, cluster_template
from clusterwright_localaws.services.parallelcluster.images import image_id
from clusterwright_localaws.services.parallelcluster.provider import (
    BUCKET_VARIABLE,
    VERSION_VARIABLE,
)
from clusterwright_localaws.services.parallelcluster.validation import (
    LEVELS,
    Running,
    ValidationResult,
    ValidatorFailed,
    validate,
)

MESSAGE_LIMIT: Final = 2048
"""The limit of ``validationMessages``; longer text starts with ``TRUNCATED:``."""

_POLICIES: Final = ("Delete", "Retain")
_CUSTOM_TAG: Final = {"Key": "parallelcluster:custom_resource", "Value": "cluster"}


@dataclass(frozen=True)
class _Provider:
    """The provider's stack, from the settings of its function."""

    version: str
    bucket: str


class PclusterCluster(Handler):
    """A stack under the cluster's name, outside the stack of this resource."""

    type_name = "Custom::PclusterCluster"
    supported_properties = frozenset(
        {
            "ClusterConfiguration",
            "ClusterName",
            "DeletionPolicy",
            "ServiceTimeout",
            "ServiceToken",
            "SuppressValidators",
            "ValidationFailureLevel",
        }
    )

    def create(self, ctx: Context, properties: Properties) -> Created:
        name = _name(properties)
        provider = _provider(ctx, properties)
        if _stack(ctx, name) is not None:
            raise HandlerFailure(
                json.dumps({"message": f"Cluster {name} already exists."}), "AlreadyExists"
            )
        configuration = _tagged(ctx, properties)
        result = _validate(ctx, name, configuration, provider, properties)
        ctx.identify(name)
        self._deploy(ctx, name, configuration, provider)
        return _created(ctx, name, provider, result, configuration)

    def update(self, ctx: Context, physical_id: str, old: Properties, new: Properties) -> Created:
        if physical_id != _name(new):
            raise HandlerFailure("Cannot update the ClusterName in the properties.")
        provider = _provider(ctx, new)
        configuration = _tagged(ctx, new)
        stack = _stack(ctx, physical_id)
        if stack is None:
            raise HandlerFailure(
                json.dumps({"message": f"Cluster {physical_id} does not exist."}), "NotFound"
            )
        tags = {tag["Key"]: tag["Value"] for tag in stack["Tags"]}
        made_by = tags["parallelcluster:version"]
        if made_by != provider.version:
            # `update_cluster` requires the cluster's own release (check_cluster_version with
            # exact_match, api/controllers/cluster_operations_controller.py of 3.16.1).
            raise HandlerFailure(
                json.dumps(
                    {
                        "message": f"Cluster '{physical_id}' belongs to the ParallelCluster "
                        f"version {made_by}, and {provider.version} cannot update it."
                    }
                ),
                "InvalidRequest",
            )
        base = _kept(ctx, physical_id, provider)
        if base == configuration:
            # The provider treats "No changes found" as success: a rollback runs after a refused
            # update. A change that has begun is reverted anyway.
            self._deploy(ctx, physical_id, configuration, provider)
            return _created(ctx, physical_id, provider, ValidationResult(), configuration)
        outputs = _outputs(stack)
        capacity, pools = fleets.running(ctx, physical_id)
        running = Running(
            base=base,
            capacity=capacity,
            login_pools=pools,
            head_node_instance_id=outputs["HeadNodeInstanceID"],
            head_node_security_group=outputs["HeadNodeSecurityGroup"],
            compute_security_group=outputs["ComputeSecurityGroup"],
        )
        result = _validate(ctx, physical_id, configuration, provider, new, running)
        self._deploy(ctx, physical_id, configuration, provider)
        return _created(ctx, physical_id, provider, result, configuration)

    def delete(self, ctx: Context, physical_id: str, properties: Properties) -> None:
        if _policy(properties) == "Retain":
            return
        stack = _stack(ctx, physical_id)
        if stack is None:
            return
        driver = driver_of(runtime())
        if driver is not None:
            driver.end(physical_id)
        fleets.end_all(ctx, physical_id)
        cloudformation = ctx.client("cloudformation")
        cloudformation.delete_stack(StackName=physical_id)
        status = _settled(ctx, stack["StackId"])["StackStatus"]
        if status != "DELETE_COMPLETE":
            raise HandlerFailure(f"{physical_id}: {status}")
        bucket = _provider(ctx, properties).bucket
        for key in (_template_key(physical_id), _configuration_key(physical_id)):
            ctx.client("s3").delete_object(Bucket=bucket, Key=key)

    def _deploy(
        self, ctx: Context, name: str, configuration: Mapping[str, Any], provider: _Provider
    ) -> None:
        ec2 = ctx.client("ec2")
        subnet_id = configuration["HeadNode"]["Networking"]["SubnetId"]
        vpc_id = ec2.describe_subnets(SubnetIds=[subnet_id])["Subnets"][0]["VpcId"]
        image = image_id(ec2, configuration, provider.version)
        there = _stack(ctx, name)
        suffix = _log_suffix(there) or ctx.suffix.lower()
        body = cluster_template(
            name, configuration, vpc_id=vpc_id, image_id=image, log_suffix=suffix
        )
        ctx.client("s3").put_object(
            Bucket=provider.bucket, Key=_template_key(name), Body=json.dumps(body).encode()
        )
        tags = {tag["Key"]: tag["Value"] for tag in configuration["Tags"]}
        tags |= {fleets.CLUSTER_TAG: name, "parallelcluster:version": provider.version}
        tags["parallelcluster:log-suffix"] = suffix
        request = {
            "StackName": name,
            "TemplateURL": f"https://s3.{ctx.region}.amazonaws.com/{provider.bucket}/"
            f"{_template_key(name)}",
            "Capabilities": ["CAPABILITY_IAM", "CAPABILITY_NAMED_IAM"],
            "Tags": [{"Key": key, "Value": value} for key, value in tags.items()],
        }
        cloudformation = ctx.client("cloudformation")
        if there is None:
            cloudformation.create_stack(**request, OnFailure="DO_NOTHING")
            moved = True
        else:
            moved = _update(cloudformation, request)
        stack = _settled(ctx, name)
        if moved and stack["StackStatus"] not in ("CREATE_COMPLETE", "UPDATE_COMPLETE"):
            raise HandlerFailure(f"{name}: {_why(ctx, name)}")
        _fleets(ctx, name, configuration, stack, image)
        # Before it is stored: a cluster whose update failed keeps its previous configuration.
        _nodes(ctx, name, configuration, f"/aws/parallelcluster/{name}-{suffix}")
        ctx.client("s3").put_object(
            Bucket=provider.bucket,
            Key=_configuration_key(name),
            Body=json.dumps(configuration).encode(),
        )


def _nodes(ctx: Context, name: str, configuration: Mapping[str, Any], log_group: str) -> None:
    """Start the machines behind the instances, if a driver is attached."""
    driver = driver_of(runtime())
    if driver is None:
        return
    driver.bring_up(ClusterOrder(ctx.account, ctx.region, name, configuration, log_group))
    ctx.wait(lambda: driver.outcome(name) is not None, what=f"the nodes of {name}")
    failure = driver.outcome(name)
    if failure:
        raise HandlerFailure(f"{name}: {failure}")


def _update(cloudformation: Any, request: Mapping[str, Any]) -> bool:
    """Begin an update; False where the stack stays as it is."""
    from botocore.exceptions import ClientError

    try:
        cloudformation.update_stack(**request)
    except ClientError as error:
        if "No updates are to be performed" not in str(error):
            raise
        return False
    return True


def _fleets(
    ctx: Context,
    name: str,
    configuration: Mapping[str, Any],
    stack: Mapping[str, Any],
    image: str,
) -> None:
    from botocore.exceptions import ClientError

    outputs = _outputs(stack)
    groups = {kind: outputs[f"{kind}SecurityGroup"] for kind in ("Compute", "LoginNode")}
    try:
        fleets.bring_about(ctx, name, fleets.wanted(name, configuration, groups), image)
    except ClientError as error:
        about = error.response["Error"]
        # The head node waits for its static nodes, and gives up with this code
        # (`failureCode` of describe-cluster, ParallelCluster's API).
        raise HandlerFailure(
            f"{name}: StaticNodeBootstrapFailure ({about['Code']}: {about['Message']})"
        ) from error


def _name(properties: Properties) -> str:
    _policy(properties)
    if "ClusterName" not in properties:
        raise HandlerFailure("Couldn't find a ClusterName in the properties.")
    if not isinstance(properties.get("ClusterConfiguration"), Mapping):
        raise HandlerFailure("Couldn't find a ClusterConfiguration in the properties.")
    return str(properties["ClusterName"])


def _policy(properties: Properties) -> str:
    policy = str(properties.get("DeletionPolicy", "Delete"))
    if policy not in _POLICIES:
        raise HandlerFailure('DeletionPolicy must be one of ["Retain", "Delete"].')
    return policy


def _provider(ctx: Context, properties: Properties) -> _Provider:
    function = str(properties.get("ServiceToken", "")).rsplit(":", 1)[-1]
    found = ctx.client("lambda").get_function_configuration(FunctionName=function)
    variables = found.get("Environment", {}).get("Variables", {})
    if BUCKET_VARIABLE not in variables:
        raise HandlerFailure(
            f"The function {function} is not that of a ParallelCluster provider", "InvalidRequest"
        )
    return _Provider(variables[VERSION_VARIABLE], variables[BUCKET_VARIABLE])


def _kept(ctx: Context, name: str, provider: _Provider) -> dict[str, Any]:
    """Return the cluster's configuration; ParallelCluster stores it in a bucket."""
    found = ctx.client("s3").get_object(Bucket=provider.bucket, Key=_configuration_key(name))
    kept: dict[str, Any] = json.loads(found["Body"].read())
    return kept


def _tagged(ctx: Context, properties: Properties) -> dict[str, Any]:
    configuration: dict[str, Any] = _as_text(properties["ClusterConfiguration"])
    own = configuration.get("Tags") or []
    keys = {item.get("Key") for item in own if isinstance(item, Mapping)}
    stack = [
        {"Key": key, "Value": value}
        for key, value in ctx.stack_tags.items()
        if not key.startswith("aws:") and key not in keys
    ]
    configuration["Tags"] = [*stack, *own, _CUSTOM_TAG]
    return configuration


def _as_text(value: Any) -> Any:
    """Convert numbers and booleans to text, as a custom resource's function receives them.

    https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/crpg-ref-requests.html
    """
    if isinstance(value, Mapping):
        return {key: _as_text(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_as_text(item) for item in value]
    return str(value).lower() if isinstance(value, bool) else str(value)


def _validate(
    ctx: Context,
    name: str,
    configuration: Mapping[str, Any],
    provider: _Provider,
    properties: Properties,
    running: Running | None = None,
) -> ValidationResult:
    level = str(properties.get("ValidationFailureLevel", "ERROR"))
    if level not in LEVELS:
        raise HandlerFailure(f"ValidationFailureLevel must be one of {', '.join(LEVELS)}")
    try:
        result = validate(
            name,
            configuration,
            account=ctx.account,
            region=ctx.region,
            version=provider.version,
            address=runtime().address,
            running=running,
            suppressed=list(properties.get("SuppressValidators", [])),
        )
    except ValidatorFailed as error:
        raise HandlerFailure(f"aws-parallelcluster could not validate {name}: {error}") from error
    if result.refused:
        raise HandlerFailure(
            json.dumps(
                {"message": "Update failure", "updateValidationErrors": list(result.refused)}
            ),
            "InvalidRequest",
        )
    stopping = result.at_or_above(level)
    if stopping:
        # Most serious messages last, as the provider sorts them.
        stopping.sort(key=lambda item: LEVELS.index(item["level"]))
        raise HandlerFailure(
            json.dumps(
                {
                    "message": "Invalid cluster configuration.",
                    "configurationValidationErrors": stopping,
                }
            ),
            "InvalidRequest",
        )
    return result


def _created(
    ctx: Context,
    name: str,
    provider: _Provider,
    result: ValidationResult,
    configuration: Mapping[str, Any],
) -> Created:
    stack = _stack(ctx, name)
    assert stack is not None
    outputs = _outputs(stack)
    messages = [dict(message) for message in result.messages]
    missing = _missing(result)
    if missing is not None:
        messages.insert(0, {"level": "WARNING", "type": "LocalAws", "message": missing})
    text = json.dumps(messages)
    head = configuration["HeadNode"]
    status = "UPDATE_COMPLETE" if "UPDATE" in stack["StackStatus"] else "CREATE_COMPLETE"
    attributes = {
        "clusterName": name,
        "clusterStatus": status,
        "cloudFormationStackStatus": status,
        "cloudformationStackArn": stack["StackId"],
        "computeFleetStatus": "RUNNING",
        "headNode.instanceId": outputs[OUTPUTS[0]],
        "headNode.instanceType": head["InstanceType"],
        "headNode.privateIpAddress": outputs[OUTPUTS[1]],
        "headNode.state": "running",
        "region": ctx.region,
        "version": provider.version,
        "validationMessages": (
            f"TRUNCATED:{text[:MESSAGE_LIMIT]}" if len(text) > MESSAGE_LIMIT else text
        ),
    }
    remark = f"{name}: {missing}" if missing is not None else None
    if missing is None and result.version is not None:
        remark = f"{name}: validated by aws-parallelcluster {result.version}"
    return Created(name, attributes, remark)


def _missing(result: ValidationResult) -> str | None:
    """Return the remark of the event: which validation was left out."""
    if result.unvalidated is None:
        return None
    if result.version is None:
        return f"UNVALIDATED by the local AWS: {result.unvalidated}"
    return f"validated in part by aws-parallelcluster {result.version}: {result.unvalidated}"


def _stack(ctx: Context, name: str) -> dict[str, Any] | None:
    from botocore.exceptions import ClientError

    try:
        found: list[dict[str, Any]] = ctx.client("cloudformation").describe_stacks(StackName=name)[
            "Stacks"
        ]
    except ClientError:
        return None
    return found[0]


def _settled(ctx: Context, name: str) -> dict[str, Any]:
    cloudformation = ctx.client("cloudformation")

    def described() -> dict[str, Any]:
        found: dict[str, Any] = cloudformation.describe_stacks(StackName=name)["Stacks"][0]
        return found

    ctx.wait(
        lambda: not described()["StackStatus"].endswith("_IN_PROGRESS"),
        what=f"the stack {name}",
    )
    return described()


def _outputs(stack: Mapping[str, Any]) -> dict[str, str]:
    return {output["OutputKey"]: output["OutputValue"] for output in stack.get("Outputs", [])}


def _log_suffix(stack: Mapping[str, Any] | None) -> str | None:
    tags = {tag["Key"]: tag["Value"] for tag in (stack or {}).get("Tags", [])}
    return tags.get("parallelcluster:log-suffix")


def _why(ctx: Context, name: str) -> str:
    events = ctx.client("cloudformation").describe_stack_events(StackName=name)["StackEvents"]
    reasons = [
        f"{event['LogicalResourceId']}: {event.get('ResourceStatusReason', '')}"
        for event in events
        if event["ResourceStatus"].endswith("_FAILED") and event["LogicalResourceId"] != name
    ]
    return reasons[-1] if reasons else "its stack failed"


def _template_key(name: str) -> str:
    return f"{name}/cluster.template.json"


def _configuration_key(name: str) -> str:
    return f"{name}/cluster-config.json"
