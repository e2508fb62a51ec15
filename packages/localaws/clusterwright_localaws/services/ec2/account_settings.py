"""Settings of an account in a region: Allowed AMIs, instance metadata, Block Public Access.

https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/ec2-allowed-amis.html
https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_ModifyInstanceMetadataDefaults.html
https://docs.aws.amazon.com/vpc/latest/userguide/security-vpc-bpa.html
"""

from __future__ import annotations

import datetime as dt
import fnmatch
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from clusterwright_localaws.core.call import Call, operation
from clusterwright_localaws.core.errors import AwsError
from clusterwright_localaws.core.pagination import paged
from clusterwright_localaws.core.runtime import Runtime
from clusterwright_localaws.services.ec2.common import new_id, refuse_dry_run, tag_new, tags_of

_NONE = "no-preference"
_METADATA = ("HttpTokens", "HttpEndpoint", "InstanceMetadataTags", "HttpTokensEnforced")
_TAG_KEY = re.compile(r"[0-9a-zA-Z\-_+=,.@:]{1,255}")
"""https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/work-with-tags-in-IMDS.html"""


@dataclass
class Settings:
    """The settings of one account in one region."""

    images_state: str = "disabled"
    image_criteria: list[dict[str, Any]] = field(default_factory=list)
    metadata: dict[str, Any] = field(default_factory=dict)
    block_mode: str = "off"
    exclusions: dict[str, dict[str, Any]] = field(default_factory=dict)


def settings_in(runtime: Runtime, account: str, region: str) -> Settings:
    """Return the settings of an account in a region."""
    return runtime.store("ec2-account-settings", account, region, Settings)


def check_image(settings: Settings, image: Any, account: str) -> None:
    """Refuse the launch of an image that no criterion allows. The code's message is ours.

    The criteria `ImageProviders` and `ImageNames` are evaluated; any other part of a criterion is
    taken as met. Images of the account are always allowed.

    Raises
    ------
    AwsError
        InvalidAMIID.NotFound: the image is not discoverable.
    """
    if settings.images_state != "enabled" or image.owner_id == account:
        return
    if any(_meets(image, criterion) for criterion in settings.image_criteria):
        return
    raise AwsError("InvalidAMIID.NotFound", f"The image id '[{image.id}]' does not exist")


def check_metadata(
    settings: Settings, options: Mapping[str, Any], tag_keys: Iterable[str]
) -> None:
    """Refuse a launch whose metadata options contradict the account's settings.

    Raises
    ------
    AwsError
        UnsupportedOperation: the tokens are enforced and not required. InvalidParameterValue: a
        tag key cannot be in the instance's metadata. Both messages are as users quote them.
    """
    chosen = settings.metadata
    tokens = options.get("HttpTokens") or chosen.get("HttpTokens")
    if chosen.get("HttpTokensEnforced") == "enabled" and tokens == "optional":
        raise AwsError(
            "UnsupportedOperation",
            "You can't launch instances with IMDSv1 because httpTokensEnforced is enabled for "
            "this account. Either launch the instance with httpTokens=required or contact your "
            "account owner to disable httpTokensEnforced.",
        )
    shown = options.get("InstanceMetadataTags") or chosen.get("InstanceMetadataTags")
    for key in tag_keys if shown == "enabled" else ():
        if not _TAG_KEY.fullmatch(key):
            raise AwsError(
                "InvalidParameterValue",
                f"'{key}' is not a valid tag key. Tag keys must match pattern "
                "([0-9a-zA-Z\\\\-_+=,.@:]{1,255}), and must not be a reserved name ('.', '..', "
                "'_index')",
            )


def blocks_egress(settings: Settings, *resource_ids: str) -> bool:
    """Return whether Block Public Access stops connections to the internet from a VPC or subnet
    through its internet gateway, NAT gateways included.
    """
    excluded = {one["ResourceArn"].rpartition("/")[2] for one in settings.exclusions.values()}
    return settings.block_mode == "block-bidirectional" and not excluded & set(resource_ids)


@operation("ec2", "GetAllowedImagesSettings")
def get_allowed_images_settings(call: Call) -> Mapping[str, Any]:
    refuse_dry_run(call)
    found = _settings(call)
    return {
        "State": found.images_state,
        "ImageCriteria": found.image_criteria,
        "ManagedBy": "account",
    }


@operation("ec2", "EnableAllowedImagesSettings")
def enable_allowed_images_settings(call: Call) -> Mapping[str, Any]:
    refuse_dry_run(call)
    state = _settings(call).images_state = call.parameters["AllowedImagesSettingsState"]
    return {"AllowedImagesSettingsState": state}


@operation("ec2", "DisableAllowedImagesSettings")
def disable_allowed_images_settings(call: Call) -> Mapping[str, Any]:
    refuse_dry_run(call)
    _settings(call).images_state = "disabled"
    return {"AllowedImagesSettingsState": "disabled"}


@operation("ec2", "ReplaceImageCriteriaInAllowedImagesSettings")
def replace_image_criteria(call: Call) -> Mapping[str, Any]:
    refuse_dry_run(call)
    _settings(call).image_criteria = [
        dict(one) for one in call.parameters.get("ImageCriteria", [])
    ]
    return {"ReturnValue": True}


@operation("ec2", "GetInstanceMetadataDefaults")
def get_instance_metadata_defaults(call: Call) -> Mapping[str, Any]:
    refuse_dry_run(call)
    return {"AccountLevel": {**_settings(call).metadata, "ManagedBy": "account"}}


@operation("ec2", "ModifyInstanceMetadataDefaults")
def modify_instance_metadata_defaults(call: Call) -> Mapping[str, Any]:
    refuse_dry_run(call)
    chosen = _settings(call).metadata
    for name in _METADATA:
        value = call.parameters.get(name)
        if value == _NONE:
            chosen.pop(name, None)
        elif value is not None:
            chosen[name] = value
    limit = call.parameters.get("HttpPutResponseHopLimit")
    if limit == -1:
        chosen.pop("HttpPutResponseHopLimit", None)
    elif limit is not None:
        if not 1 <= limit <= 64:
            raise AwsError("InvalidParameterValue", f"The hop limit {limit} is not 1 to 64.")
        chosen["HttpPutResponseHopLimit"] = limit
    return {"Return": True}


@operation("ec2", "DescribeVpcBlockPublicAccessOptions")
def describe_vpc_block_public_access_options(call: Call) -> Mapping[str, Any]:
    refuse_dry_run(call)
    return _options(call)


@operation("ec2", "ModifyVpcBlockPublicAccessOptions")
def modify_vpc_block_public_access_options(call: Call) -> Mapping[str, Any]:
    refuse_dry_run(call)
    _settings(call).block_mode = call.parameters["InternetGatewayBlockMode"]
    return _options(call)


@operation("ec2", "DescribeVpcBlockPublicAccessExclusions")
def describe_vpc_block_public_access_exclusions(call: Call) -> Mapping[str, Any]:
    refuse_dry_run(call)
    wanted = call.parameters.get("ExclusionIds") or ()
    found = _settings(call).exclusions
    for name in wanted:
        if name not in found:
            raise AwsError("InvalidVpcBlockPublicAccessExclusionId.NotFound", f"No {name}.")
    shown = [
        {**one, "Tags": tags_of(call, name)}
        for name, one in found.items()
        if not wanted or name in wanted
    ]
    return paged(
        call,
        "VpcBlockPublicAccessExclusions",
        shown,
        default=1000,
        stale_page_code="InvalidNextToken",
    )


@operation("ec2", "CreateVpcBlockPublicAccessExclusion")
def create_vpc_block_public_access_exclusion(call: Call) -> Mapping[str, Any]:
    subnet, vpc = call.parameters.get("SubnetId"), call.parameters.get("VpcId")
    if bool(subnet) == bool(vpc):
        raise AwsError("InvalidParameterCombination", "Specify either a SubnetId or a VpcId.")
    refuse_dry_run(call)
    resource = f"subnet/{subnet}" if subnet else f"vpc/{vpc}"
    name, now = new_id("vpcbpa-exclude"), dt.datetime.now(dt.UTC)
    made = _settings(call).exclusions[name] = {
        "ExclusionId": name,
        "InternetGatewayExclusionMode": call.parameters["InternetGatewayExclusionMode"],
        "ResourceArn": f"arn:aws:ec2:{call.region}:{call.account}:{resource}",
        "State": "create-complete",
        "CreationTimestamp": now,
        "LastUpdateTimestamp": now,
    }
    tag_new(call, name, "vpc-block-public-access-exclusion")
    return {"VpcBlockPublicAccessExclusion": {**made, "Tags": tags_of(call, name)}}


def _options(call: Call) -> Mapping[str, Any]:
    mode = _settings(call).block_mode
    return {
        "VpcBlockPublicAccessOptions": {
            "AwsAccountId": call.account,
            "AwsRegion": call.region,
            "State": "default-state" if mode == "off" else "update-complete",
            "InternetGatewayBlockMode": mode,
            "ManagedBy": "account",
            "ExclusionsAllowed": "allowed",
        }
    }


def _settings(call: Call) -> Settings:
    return settings_in(call.runtime, call.account, call.region)


def _meets(image: Any, criterion: Mapping[str, Any]) -> bool:
    providers = criterion.get("ImageProviders") or ()
    names = criterion.get("ImageNames") or ()
    # AWS's own images have an owner alias; moto's copies of them have numbers of other accounts.
    alias = getattr(image, "owner_alias", None) or "amazon"
    return (not providers or bool({image.owner_id, alias} & set(providers))) and (
        not names or any(fnmatch.fnmatchcase(image.name or "", one) for one in names)
    )
