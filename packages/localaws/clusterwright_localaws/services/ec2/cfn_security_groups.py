"""Security groups, with rules inline or as separate resources."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

from clusterwright_localaws.cloudformation.handler import Context, Created, Handler, Properties
from clusterwright_localaws.cloudformation.handler_helpers import ec2_tags, pick, retag_ec2
from clusterwright_localaws.cloudformation.template import canonical


class SecurityGroup(Handler):
    """``Ref`` is the id of a group, and the name of one without a VPC, as recorded on AWS.

    docs/reference/probes.md, source `localstack` (2024-07-19).
    """

    type_name = "AWS::EC2::SecurityGroup"

    def create(self, ctx: Context, properties: Properties) -> Created:
        ec2 = ctx.client("ec2")
        name = properties.get("GroupName") or ctx.generated_name(max_length=255)
        group_id = ec2.create_security_group(
            GroupName=name,
            Description=properties["GroupDescription"],
            **pick(properties, "VpcId"),
            **ec2_tags(ctx, "security-group", properties.get("Tags")),
        )["GroupId"]
        ctx.identify(group_id if "VpcId" in properties else name)
        if "SecurityGroupEgress" in properties:
            # A new group has a rule that allows all egress; egress rules of the template replace
            # it.
            # https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-ec2-securitygroup.html
            initial = ec2.describe_security_groups(GroupIds=[group_id])["SecurityGroups"][0]
            if initial["IpPermissionsEgress"]:
                ec2.revoke_security_group_egress(
                    GroupId=group_id, IpPermissions=initial["IpPermissionsEgress"]
                )
        self._allow(ec2, group_id, properties.get("SecurityGroupIngress", []), egress=False)
        self._allow(ec2, group_id, properties.get("SecurityGroupEgress", []), egress=True)
        return self._created(ctx, group_id, properties)

    def update(self, ctx: Context, physical_id: str, old: Properties, new: Properties) -> Created:
        ec2 = ctx.client("ec2")
        group_id = self._id(ctx, physical_id, old)
        for key, egress in (("SecurityGroupIngress", False), ("SecurityGroupEgress", True)):
            before = {canonical(rule): rule for rule in old.get(key, [])}
            after = {canonical(rule): rule for rule in new.get(key, [])}
            # Old rules go first: a changed description is the same rule to EC2.
            for text, rule in before.items():
                if text not in after:
                    self._deny(ec2, group_id, rule, egress=egress)
            fresh = [rule for text, rule in after.items() if text not in before]
            self._allow(ec2, group_id, fresh, egress=egress)
        everything = {"IpProtocol": "-1", "CidrIp": "0.0.0.0/0"}
        if "SecurityGroupEgress" in old and "SecurityGroupEgress" not in new:
            self._allow(ec2, group_id, [everything], egress=True)
        elif "SecurityGroupEgress" not in old and "SecurityGroupEgress" in new:
            self._deny(ec2, group_id, everything, egress=True)
        retag_ec2(ctx, group_id, old, new)
        return self._created(ctx, group_id, new)

    def delete(self, ctx: Context, physical_id: str, properties: Properties) -> None:
        group_id = self._id(ctx, physical_id, properties)
        ctx.client("ec2").delete_security_group(GroupId=group_id)

    def read(self, ctx: Context, physical_id: str, properties: Properties) -> Properties:
        group_id = self._id(ctx, physical_id, properties)
        found = ctx.client("ec2").describe_security_groups(GroupIds=[group_id])
        group = found["SecurityGroups"][0]
        actual: dict[str, Any] = {
            "GroupDescription": group["Description"],
            "GroupName": group["GroupName"],
            "VpcId": group["VpcId"],
        }
        for key, live in (
            ("SecurityGroupIngress", group["IpPermissions"]),
            ("SecurityGroupEgress", group["IpPermissionsEgress"]),
        ):
            if key in properties:
                others = [
                    rule
                    for _, rule in ctx.managed(f"AWS::EC2::{key}")
                    if rule.get("GroupId") == group_id
                ]
                actual[key] = _as_written(properties[key], others, live)
        return actual

    def _allow(self, ec2: Any, group_id: str, rules: list[Properties], *, egress: bool) -> None:
        for rule in rules:
            _change(ec2, "authorize_security_group", egress, group_id, rule)

    def _deny(self, ec2: Any, group_id: str, rule: Properties, *, egress: bool) -> None:
        _change(ec2, "revoke_security_group", egress, group_id, rule)

    def _id(self, ctx: Context, physical_id: str, properties: Properties) -> str:
        """Return the id of a group, which EC2's calls need, from its ``Ref``."""
        if "VpcId" in properties or physical_id.startswith("sg-"):
            return physical_id
        # Without a VPC it is one of the default VPC, where names are unique.
        found = ctx.client("ec2").describe_security_groups(GroupNames=[physical_id])
        return str(found["SecurityGroups"][0]["GroupId"])

    def _created(self, ctx: Context, group_id: str, properties: Properties) -> Created:
        group = ctx.client("ec2").describe_security_groups(GroupIds=[group_id])
        found = group["SecurityGroups"][0]
        return Created(
            group_id if "VpcId" in properties else found["GroupName"],
            {
                "GroupId": group_id,
                "GroupName": found["GroupName"],
                "Id": group_id,
                "VpcId": found.get("VpcId", ""),
            },
        )


class _Rule(Handler):
    """A rule of a security group, as a separate resource."""

    egress: bool = False

    def create(self, ctx: Context, properties: Properties) -> Created:
        answer = self._change(ctx, "authorize_security_group", properties)
        rules = answer.get("SecurityGroupRules") or []
        digest = hashlib.sha256(canonical(properties).encode()).hexdigest()[:17]
        found = rules[0]["SecurityGroupRuleId"] if rules else f"sgr-{digest}"
        return Created(found, {"Id": found})

    def update(self, ctx: Context, physical_id: str, old: Properties, new: Properties) -> Created:
        # Only the description can change without a replacement.
        self._change(ctx, "update_security_group_rule_descriptions", new)
        return Created(physical_id, {"Id": physical_id})

    def delete(self, ctx: Context, physical_id: str, properties: Properties) -> None:
        self._change(ctx, "revoke_security_group", properties)

    def _change(self, ctx: Context, verb: str, properties: Properties) -> dict[str, Any]:
        group_id = _group_id(ctx, properties)
        return _change(ctx.client("ec2"), verb, self.egress, group_id, properties)


class SecurityGroupIngress(_Rule):
    type_name = "AWS::EC2::SecurityGroupIngress"
    egress = False


class SecurityGroupEgress(_Rule):
    type_name = "AWS::EC2::SecurityGroupEgress"
    egress = True


def _change(ec2: Any, verb: str, egress: bool, group_id: str, rule: Properties) -> dict[str, Any]:
    call = getattr(ec2, f"{verb}_{'egress' if egress else 'ingress'}")
    answer: dict[str, Any] = call(GroupId=group_id, IpPermissions=[permission(rule)])
    return answer


def permission(rule: Properties) -> dict[str, Any]:
    """Return a rule of a template as the ``IpPermission`` of the API."""
    out: dict[str, Any] = {"IpProtocol": rule["IpProtocol"], **pick(rule, "FromPort", "ToPort")}
    described = pick(rule, "Description")
    if "CidrIp" in rule:
        out["IpRanges"] = [{"CidrIp": rule["CidrIp"], **described}]
    if "CidrIpv6" in rule:
        out["Ipv6Ranges"] = [{"CidrIpv6": rule["CidrIpv6"], **described}]
    for key in ("SourcePrefixListId", "DestinationPrefixListId"):
        if key in rule:
            out["PrefixListIds"] = [{"PrefixListId": rule[key], **described}]
    for key in ("SourceSecurityGroupId", "DestinationSecurityGroupId"):
        if key in rule:
            pair = {"GroupId": rule[key], **described}
            if "SourceSecurityGroupOwnerId" in rule:
                pair["UserId"] = rule["SourceSecurityGroupOwnerId"]
            out["UserIdGroupPairs"] = [pair]
    if "SourceSecurityGroupName" in rule:
        out["UserIdGroupPairs"] = [{"GroupName": rule["SourceSecurityGroupName"], **described}]
    return out


def _group_id(ctx: Context, properties: Properties) -> str:
    if "GroupId" in properties:
        return str(properties["GroupId"])
    found = ctx.client("ec2").describe_security_groups(
        Filters=[{"Name": "group-name", "Values": [properties.get("GroupName", "")]}]
    )["SecurityGroups"]
    return str(found[0]["GroupId"]) if found else ""


def _as_written(
    rules: list[Properties], others: list[Properties], live: list[Mapping[str, Any]]
) -> list[Properties]:
    """Return the live rules, each in the template's form if it is unchanged.

    `others` are rules that are separate resources; they are not drift of the group.
    """
    present = {key for item in live for key in _keys(item)}
    kept = [rule for rule in rules if set(_keys(permission(rule))) <= present]
    requested = {key for rule in (*rules, *others) for key in _keys(permission(rule))}
    extra = sorted(key for key in present if key not in requested)
    return [
        *kept,
        *(
            {"IpProtocol": protocol, "FromPort": first, "ToPort": last, "Peer": peer}
            for protocol, first, last, peer in extra
        ),
    ]


def _keys(one: Mapping[str, Any]) -> list[tuple[str, int, int, str]]:
    ports = (one["IpProtocol"], one.get("FromPort", -1), one.get("ToPort", -1))
    peers = [
        *(item["CidrIp"] for item in one.get("IpRanges", [])),
        *(item["CidrIpv6"] for item in one.get("Ipv6Ranges", [])),
        *(item["PrefixListId"] for item in one.get("PrefixListIds", [])),
        *(item.get("GroupId", "") for item in one.get("UserIdGroupPairs", [])),
    ]
    return [(*ports, peer) for peer in peers]
