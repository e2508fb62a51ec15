"""Quotas and capacity: what AWS has not, or does not give this account."""

from __future__ import annotations

from typing import Final

from clusterwright.diagnosis.signature import Signature, Values

_CHECK: Final = "clusterwright check {file} --only {rules}"
_QUOTAS: Final = "clusterwright check {file} --request-quotas"


def _limit(values: Values) -> str:
    what = values.get("quota", "").strip(" '\"")
    where = f" {what}" if what else ""
    code = f" ({values['quota_code']})" if "quota_code" in values else ""
    numbers = [
        f"{label} {values[name]}"
        for label, name in (("limit", "limit"), ("used", "used"), ("requested", "delta"))
        if values.get(name)
    ]
    tail = f": {', '.join(numbers)}" if numbers else ""
    return f"a service quota is too small{':' if where else ''}{where}{code}{tail}"


SIGNATURES: Final = (
    Signature(
        "throttled",
        "AWS throttled the requests[ ({operation})]: too many calls at once",
        (
            r"\(Throttling\w*\) when calling the (?P<operation>\w+)",
            r"(?<!client-side )Throttl(?:e[dr]|ing)\w*|Rate exceeded|RequestLimitExceeded|TooManyRequests\w*|\bSlowDown\b"
            r"|AutoScalingGroupRateLimitExceeded|IamThrottling|\bHTTP[^\n]{0,10} 429\b.*amazonaws",
        ),
        confidence="likely",
        next=("cdk deploy -c config={file} --all --concurrency 1",),
        kinds=("stack-event", "cluster-event", "node-status", "log", "node-group", "cluster"),
    ),
    # Fleets add UnfulfillableCapacity to every error of a launch.
    Signature(
        "public-address",
        "EC2: an instance with several network interfaces gets no public address: use subnets that "
        "assign none, with a NAT gateway",
        (r"associatePublicIPAddress parameter cannot be specified when launching with multiple",),
        next=(_CHECK,),
        rules=("CW-N012",),
    ),
    Signature(
        "networks-differ",
        "network: the security group {security_group} and the subnet {subnet} of one request are "
        "of different VPCs",
        (
            r"security group '?(?P<security_group>sg-\w{8,17})'? and subnet '?"
            r"(?P<subnet>subnet-\w{8,17})'? belong to different networks",
        ),
        next=(
            "aws ec2 describe-subnets --subnet-ids {subnet} --region {region}",
            "aws ec2 describe-security-groups --group-ids {security_group} --region {region}",
        ),
    ),
    Signature(
        "spot-interruption",
        "capacity: EC2 reclaimed Spot capacity[ ({type})]",
        (
            r"Server\.SpotInstanceTermination|instance-terminated-(?:by-price|no-capacity)",
            r"spot.{0,40}(?:interrupt|reclaim|terminat|rebalance recommendation|preempt)",
            r"(?:interrupt|reclaim).{0,40}\bspot\b",
        ),
        next=("clusterwright capacity {file}",),
    ),
    Signature(
        "capacity-block-ends",
        "capacity: the capacity block or training plan ended or is about to end, and EC2 "
        "terminates its instances",
        (
            r"capacity[- ]?block.{0,80}(?:expir|ended|ending|end (?:time|date)|terminat)",
            r"training ?plan.{0,60}(?:expired|has ended|ended on|is ending)",
            r"(?:expired|ended).{0,30}training ?plan",
            r"(?:reservation|capacity).{0,40}(?:has|is) (?:expired|ended)",
        ),
        next=("clusterwright capacity {file}", _CHECK),
        rules=("CW-C011", "CW-C015", "CW-C036"),
    ),
    Signature(
        "reservation-unusable",
        "capacity: the capacity reservation[ {reservation}] does not exist, is not active, or "
        "does not match the instances",
        (
            r"InvalidCapacityReservation\w*",
            r"(?:capacity reservation|capacity[- ]block|reserved capacity|\bcr-\w+).{0,80}"
            r"(?:does not exist|not found|not active|cancell?ed|inactive|not in the active state|"
            r"does(?: not|n't) match|not match|incompatible|state is)",
            r"(?:does not exist|not active|mismatch).{0,60}capacity reservation",
        ),
        next=(
            "aws ec2 describe-capacity-reservations --capacity-reservation-ids {reservation} "
            "--region {region}",
            _CHECK,
        ),
        rules=("CW-C030", "CW-C031", "CW-C032", "CW-C033", "CW-C034"),
    ),
    Signature(
        "reservation-full",
        "capacity: the capacity reservation[ {reservation}] has not enough free instances",
        (
            r"ReservationCapacityExceeded|InsufficientReservedInstanceCapacity",
            r"reservation does not have sufficient",
            r"(?:reservation|capacity[- ]block).{0,80}(?:insufficient|not enough|exceed|no remaining|"
            r"no available)",
        ),
        next=(
            "clusterwright capacity {file}",
            _CHECK,
        ),
        rules=("CW-C035", "CW-C033"),
    ),
    Signature(
        "training-plan",
        "capacity: the training plan is not active, has no free instances, or does not match the "
        "group",
        (
            r"training ?plan.{0,120}(?:not active|scheduled|pending|insufficient|not enough|"
            r"does not (?:exist|have|match)|not found|invalid|exceed|available instance)",
            r"(?:insufficient|not enough|exceed).{0,60}training ?plan",
        ),
        next=("clusterwright capacity {file}", _CHECK),
        rules=("CW-C010", "CW-C011", "CW-C012", "CW-C013", "CW-C014"),
    ),
    Signature(
        "type-not-in-zone",
        "capacity: the instance type[ {type}] is not offered in the Availability Zone[ {zone}]",
        (
            r"requested instance type \((?P<type>[\w.-]+)\) is not supported in your requested "
            r"Availability Zone \((?P<zone>[\w-]+)\)",
            r"instance type.{0,80}not (?:supported|available|offered).{0,60}(?:Availability )?Zone",
            r"is not available in the Availability Zones?",
            r"Unsupported.{0,40}availability zone",
        ),
        next=(
            "aws ec2 describe-instance-type-offerings --location-type availability-zone-id "
            "--filters Name=instance-type,Values={type} --region {region}",
            _CHECK,
        ),
        rules=("CW-C001",),
    ),
    Signature(
        "type-not-in-region",
        "capacity: the instance type[ {type}] is not offered in the region",
        (
            r"instance type.{0,80}(?:isn't|is not|not) (?:supported|available|offered) in (?:the "
            r"|your |this )?(?:specified |requested )?(?:AWS )?region",
        ),
        next=(_CHECK,),
        rules=("CW-C001",),
    ),
    Signature(
        "launch-template-capacity",
        "capacity: AWS has no free instances[ of {type}][ in {zone}] "
        "(InsufficientInstanceCapacity)",
        (
            r"Insufficient(?:Instance|Host|Volume|DBInstance|DBCluster)?Capacity(?!Allowed)",
            r"(?:insufficient|not? (?:have )?(?:sufficient|enough)|not have adequate|no available|"
            r"lack of|limited|without).{0,20}\b(?:EC2 |instance |spot |reserved )?capacity\b",
            r"capacity (?:is )?(?:currently )?(?:not available|unavailable|unfulfillable)",
            # Karpenter adds it to every error of a fleet, whatever the reason.
            r"(?<!aws-error-code[=:])(?<!aws-error-code: )(?<!aws-error-code\":\")UnfulfillableCapacity|SpotMaxPriceTooLow|MaxSpotPriceTooLow|no Spot capacity",
            r"(?:out of|no) capacity (?:for|in)\b",
        ),
        next=("clusterwright capacity {file}", _CHECK),
        rules=("CW-C001", "CW-C035"),
    ),
    Signature(
        "quota",
        _limit,
        (
            r"service limit '(?P<quota>[^']+)' is (?P<limit>[\d.,]+)(?: \w+)?,? with current "
            r"utilization of (?P<used>[\d.,]+)(?: \w+)? and a request delta of (?P<delta>[\d.,]+)",
            r"requested more (?P<quota>v?CPU capacity) than your current (?:vCPU )?limit of "
            r"(?P<limit>\d+)",
            r"(?P<quota>instances per cluster|instance limit)\D{0,30}(?P<limit>\d+)",
            r"The maximum number of (?P<quota>[\w /-]+?) (?:has been|is|was|reached|per)",
            # IAM's own words: RolesPerAccount, PoliciesPerRole.
            r"Cannot exceed quota for (?P<quota>\w+): (?P<limit>\d+)",
            r"exceeded your maximum (?P<quota>\w+ storage) limit of (?P<limit>\d+ TiB)",
            # Of instances alone: programs write the same of attempts, retries and restarts.
            r"\bMax(?:imum)? (?P<quota>(?:spot|on-demand) instance count) exceeded",
            r"Limit for (?P<quota>stack)s? has been exceeded",
            r"(?:VcpuLimit|MaxSpotInstanceCount|(?<!Request)LimitExceeded|QuotaExceeded|"
            r"InstanceLimit|ResourceLimit(?!=)|AddressLimit|VpcLimit|VolumeLimit|ServiceLimit|"
            r"CreationLimit|IamLimit)\w*(?<!RequestLimitExceeded)",
            r"(?:exceed\w*|reached|over|beyond).{0,60}\b(?:service |account |regional )?"
            r"(?:quota|limit)s?\b(?!.{0,12}(?:memory|time|retr|nodepool))",
            r"\b(?:quota|limit) (?:has been |was |is |of \S+ |for [\w .-]{0,60} )?"
            r"(?:exceeded|reached)",
            r"\btoo many (?!open|requests|connections|redirects|arguments|levels|values)[\w -]+"
            r"(?:in (?:this|the) (?:account|region)|for this account)",
            r"(?:Member must|cannot).{0,40}instances? limit",
        ),
        next=(_QUOTAS, _CHECK),
        rules=("CW-Q",),
        kinds=(
            "stack-event",
            "cluster-event",
            "node-status",
            "cluster",
            "file-system",
            "database",
            "node-group",
            "scaling-activity",
            "log",
        ),
    ),
)
