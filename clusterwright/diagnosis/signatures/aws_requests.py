"""Requests that AWS refuses for what they contain, or for the state of the account."""

from __future__ import annotations

from typing import Final

from clusterwright.diagnosis.signature import Signature, Values
from clusterwright.diagnosis.wording import kind_of

_CHECK: Final = "clusterwright check {file} --only {rules}"
_EVENTS: Final = (
    "aws cloudformation describe-stack-events --stack-name {stack} --region {region} "
    "--query \"StackEvents[?contains(ResourceStatus, 'FAILED')]\""
)
_STACKS: Final = ("stack-event",)


def _kept_by(values: Values) -> str:
    what = values.get("resource") or "a resource"
    by = values.get("by", "").strip(" .:'\"")
    return f"{what} cannot be deleted or changed: {by or 'something'} still uses it"


def _invalid(values: Values) -> str:
    what = values.get("resource") or "a resource"
    reason = (values.get("message") or "").strip(' ."')
    return f"invalid request for {what}: {reason}" if reason else f"invalid request for {what}"


def _custom(values: Values) -> str:
    """What a custom resource's function answered, with its kind where its words tell one."""
    kind = kind_of(values["message"])
    sentence = f"{kind.sentence}: " if kind is not None else ""
    return f"a custom resource failed: {sentence}{values['message']}"


SIGNATURES: Final = (
    Signature(
        "bootstrap",
        "CDK: the account and region are not bootstrapped, or with an old version",
        (
            r"/cdk-bootstrap/\w+/version",
            r"bootstrap stack version|(?:re-?run|run) .?cdk bootstrap",
            r"\bcdk-\w+-assets-\S+.{0,60}(?:does not exist|NoSuchBucket)",
        ),
        next=("cdk bootstrap aws://{account}/{region}", _CHECK),
        rules=("CW-I010",),
    ),
    Signature(
        "function-image",
        "Lambda: the container image {image} of a function does not exist, is in another region "
        "or account, has a form that Lambda does not take (an image index, attestations), or its "
        "repository's policy does not let Lambda read it",
        (
            r"Source image (?P<image>[\w./:@-]{3,300}) (?:is not valid|does not exist)",
            r"does not have permission to access the (?P<image>ECR image)",
        ),
        next=(
            "aws ecr describe-images --repository-name REPOSITORY --region {region}",
            _EVENTS,
        ),
    ),
    Signature(
        "termination-protection",
        "the stack or cluster is protected against deletion (termination protection)",
        (r"Termination ?Protection|deletion ?protection|EnableTerminationProtection",),
        next=(
            "aws cloudformation update-termination-protection --no-enable-termination-protection "
            "--stack-name {stack} --region {region}",
        ),
        kinds=_STACKS,
    ),
    Signature(
        "export-in-use",
        "an export of this stack cannot change or be deleted: stack {by} still uses it",
        (
            r"Export \S+ cannot be (?:deleted|updated) as it is in use by (?P<by>[\w, -]+)",
            r"Cannot delete export \S+ as it is in use by (?P<by>[\w, -]+)",
        ),
        next=("cdk deploy -c config={file} --all",),
        kinds=_STACKS,
    ),
    Signature(
        "export-missing",
        "an export that the stack imports does not exist[: {export}]; the stack that makes it is "
        "not deployed",
        (r"No export named (?P<export>\S+) found",),
        next=("cdk deploy -c config={file} --all",),
        kinds=_STACKS,
    ),
    Signature(
        "dependency",
        _kept_by,
        (
            r"has a dependent object",
            r"has dependencies and cannot be deleted",
            r"DependencyViolation|DeleteConflict|ResourceInUse|HasDependen\w+|VolumeInUse",
            r"bucket you tried to delete is not empty|BucketNotEmpty",
            r"cannot (?:be )?delete\w*.{0,80}(?:in use|used by|associated|attached|still|because|"
            r"since|while|must)(?: (?:by|to|with))? ?(?P<by>[\w:/.-]+)?",
            r"(?:currently |still )?in use by (?P<by>[^\n(]+)",
            r"network interface '?(?P<by>eni-\w+)'? is currently in use",
        ),
        next=(
            "aws ec2 describe-network-interfaces --filters "
            "Name=group-id,Values={security_group} --region {region}",
            _EVENTS,
        ),
        kinds=("stack-event", "node-group"),
    ),
    Signature(
        "already-exists",
        "the name is taken: {resource} already exists, outside this stack or from an earlier "
        "deployment",
        (
            r"AlreadyExists\w*|AlreadyOwnedByYou|EntityAlreadyExists|BucketAlreadyExists",
            r"already exists|is already exported by stack|already in use by another|is already taken|already been taken",
            r"ResourceInUseException: .*name",
        ),
        next=(_CHECK,),
        rules=("CW-E",),
        kinds=("stack-event", "node-group"),
    ),
    Signature(
        "stuck-stack",
        "the stack is in a state in which it cannot be updated: {state}",
        (
            r"is in (?P<state>\w+_(?:FAILED|COMPLETE|IN_PROGRESS)) state and can ?not be updated",
            r"\b(?P<state>ROLLBACK_COMPLETE|UPDATE_ROLLBACK_FAILED|REVIEW_IN_PROGRESS)\b.{0,60}"
            r"cannot be updated",
        ),
        next=(_CHECK,),
        rules=("CW-E007",),
        kinds=_STACKS,
    ),
    Signature(
        "hook",
        "a CloudFormation hook of the account refuses the resource[ ({hook})][: {reason}]",
        (
            r"Hook failed with message: (?P<reason>(?:(?!\. Full output)[^\n]){1,200})",
            r"The following hook\(s\) failed: \[(?P<hook>[\w:., -]+)\]",
        ),
        next=(_EVENTS,),
        kinds=("stack-event", "log"),
    ),
    Signature(
        "opt-in",
        "the region, service or subscription is not enabled for the account",
        (
            r"OptInRequired|SubscriptionRequired\w*|PendingVerification|Ec2ServiceNotSubscribed"
            r"|StsRegionalEndpointDisabled|AddonSubscriptionNeeded",
            r"not subscribed|account is (?:currently )?(?:blocked|pending|suspended)"
            r"|not enabled (?:in|for) (?:this|the|your) (?:region|account)"
            r"|accept the terms|is not opted in",
            r"request for accessing resources in this region is being validated|aws-verification@",
        ),
        next=("aws account list-regions",),
    ),
    Signature(
        "image-architecture",
        "EC2: the AMI is for another architecture ({image_of}) than the instance type ({type_of})",
        (
            r"architecture '(?P<type_of>\w+)' of the specified instance type does not match the "
            r"architecture '(?P<image_of>\w+)' of the specified AMI",
            r"instance type's architecture \((?P<type_of>\w+)\) does not match the architecture in the "
            r"manifest for ami-\w+ \((?P<image_of>\w+)\)",
        ),
        next=(_CHECK,),
        rules=("CW-I014",),
    ),
    Signature(
        "key-pair",
        "EC2: the key pair {name} does not exist in the region: names of key pairs are without .pem",
        (
            r"key ?pair '?(?P<name>[^\s'\"]{1,255}?)'? (?:not found|does not exist)",
            r"InvalidKeyPair\.NotFound(?P<name>)",
        ),
        next=("aws ec2 describe-key-pairs --region {region}",),
    ),
    Signature(
        "interface-index",
        "EC2: the launch template gives a network interface a device index that its network card "
        "does not have",
        (r"specified number '\d+' for the device index exceeds the maximum",),
        next=(_CHECK,),
        rules=("CW-C020",),
    ),
    Signature(
        "image-missing",
        "EC2: the AMI[ {image}] does not exist in this region, or does not fit the instances",
        (
            r"InvalidAMIID\.\w+|AmiIdNotFound",
            r"(?P<image>ami-\w+).{0,60}(?:does not exist|not found|invalid|unavailable)",
            r"image id '?\[?(?P<image>ami-\w+)",
            r"architecture .{0,80}(?:of the specified )?(?:AMI|image)|AMI.{0,60}architecture",
        ),
        next=(_CHECK,),
        rules=("CW-I014",),
        kinds=("stack-event", "cluster-event", "node-group", "scaling-activity", "cluster"),
    ),
    Signature(
        "control-plane-zone",
        "EKS: the zone {zone} has no capacity for control planes, or EKS does not use it: give the control plane "
        "subnets in other zones",
        (
            r"because (?P<zone>[\w-]{5,30}), the targeted availability zone, does not currently have sufficient capacity",
            r"does not support creating control plane instances in (?P<zone>[\w-]{5,30}\w)",
            r"UnsupportedAvailabilityZoneException",
        ),
        next=(_CHECK,),
        rules=("CW-N027",),
    ),
    Signature(
        "launch-template",
        "EC2: the launch template is invalid, was deleted, or has another version than the group "
        "expects",
        (
            r"InvalidLaunchTemplate\w*|Ec2LaunchTemplate\w+|SourceEc2LaunchTemplateNotFound",
            r"launch template.{0,80}(?:not found|does not exist|mismatch|invalid|not valid|"
            r"was modified|deleted)",
        ),
        next=("clusterwright drift {file}", _CHECK),
        rules=("CW-C024",),
    ),
    Signature(
        "placement-group",
        "EC2: the placement group is not allowed with this type or kind of capacity, or is gone",
        (
            r"InvalidPlacementGroup\w*",
            r"placement group.{0,100}(?:not supported|cannot|can't|not found|does not exist|not "
            r"allowed|incompatible|unknown)",
            r"(?:cannot|not supported|not allowed).{0,60}placement group",
        ),
        next=(_CHECK,),
        rules=("CW-C007", "CW-C022", "CW-C038"),
    ),
    Signature(
        "invalid-instance-type",
        "EC2: the instance type[ {type}] does not exist or is not supported here",
        (
            r"InvalidInstanceType|Ec2InstanceTypeDoesNotExist",
            r"instance type.{0,60}(?:is )?(?:invalid|not valid|not supported|unsupported|does not "
            r"exist)",
            r"The requested configuration is currently not supported",
            r"(?:EFA|network card|NetworkCardIndex|interfaces?).{0,60}not supported.{0,40}"
            r"(?:instance|type)",
        ),
        next=(_CHECK,),
        rules=("CW-C001", "CW-C003", "CW-C020"),
    ),
    Signature(
        "tag-policy",
        "AWS Organizations: tags do not comply with the tag policy",
        (r"TagPolicyViolation|tag policy|non-?compliant tag",),
        next=(_CHECK,),
        rules=("CW-E009",),
    ),
    Signature(
        "template",
        "the template is invalid: {message}",
        (
            r"(?P<message>Template (?:format|validation|error)[^\n]{0,200})",
            r"(?P<message>Unresolved resource dependencies[^\n]{0,200})",
            r"(?P<message>Circular dependency between resources[^\n]{0,200})",
        ),
        next=("cdk synth -c config={file}",),
        kinds=_STACKS,
    ),
    Signature(
        "chart",
        "Helm: the chart of {resource} was not installed, or its pods were not ready in time: "
        "{message}",
        (
            r"(?P<message>(?:UPGRADE|INSTALLATION) FAILED[^\n]{0,160}|(?:timed out waiting for the "
            r"condition|context deadline exceeded)(?=[^\n]{0,40}))",
        ),
        kinds=_STACKS,
        failed_only=True,
        next=("kubectl get pods --all-namespaces", _EVENTS),
    ),
    Signature(
        "not-found",
        "{resource} refers to something that does not exist: {message}",
        (
            r"(?:returned message: \")?(?P<message>[^\"\n]{0,200}(?:could not be found|"
            r"not found|does not exist|NoSuch\w+|can't be found|was not found)[^\"\n(]{0,120})",
        ),
        next=(_EVENTS,),
        kinds=_STACKS,
        failed_only=True,
    ),
    Signature(
        "repository-access",
        "FSx: the request to link the bucket was refused: who made it lacks s3:Get*, s3:List* or "
        "s3:PutObject on the bucket or its prefix, by an IAM policy, the bucket's policy or the key "
        "of its objects, or there is no such bucket",
        (r"FSx is unable to validate access to the S3 bucket",),
        next=(
            "clusterwright check {file} --only CW-S010 --only CW-S011",
            _CHECK,
            "aws fsx describe-data-repository-associations --region {region}",
        ),
        rules=("CW-S010", "CW-S011"),
    ),
    Signature(
        "handler-code",
        "the handler of {resource}'s resource type failed in its own code ({exception}), so that "
        "it or its version must change, not the request: {message}",
        (
            r"returned message: \"(?P<message>[^\"\n]{1,200}?)\s*\((?P<exception>(?:Type|Key|Value|Name|"
            r"Index|Attribute|Import|ModuleNotFound|UnboundLocal|ZeroDivision|Assertion|Runtime|"
            r"Unicode\w*|JSONDecode|Recursion)Error|NullPointerException|ClassCastException|"
            r"IndexOutOfBoundsException)\)",
        ),
        confidence="likely",
        next=(_EVENTS,),
        kinds=_STACKS,
    ),
    Signature(
        "invalid-request",
        _invalid,
        (
            r"returned message: \"(?P<message>[^\"]{1,300}?)(?: \(Service: [^\"]*)?\".*"
            r"HandlerErrorCode: (?:InvalidRequest|ValidationError|NotUpdatable)",
            r"(?P<message>(?:Properties validation failed|Model validation failed|"
            r"Encountered unsupported property|Value of property|Invalid request provided|"
            r"\d validation errors? detected)[^\n]{0,300})",
            r"(?:InvalidParameter\w*|ValidationException|ValidationError|InvalidRequest\w*|"
            r"MalformedPolicy\w*|InvalidInput\w*|BadRequest\w*|MissingParameter|"
            r"IncompatibleParameterError|Invalid\w+Configuration|NodeConfigurationInvalid)"
            r"[:)\s]+(?P<message>[^\n]{1,300})",
        ),
        next=(_EVENTS, "clusterwright check {file}"),
        kinds=("stack-event", "cluster-event", "cluster", "node-group", "scaling-activity"),
    ),
    Signature(
        "service-fault",
        "AWS: the service failed internally; the same request may succeed later",
        (
            r"InternalFailure|InternalServer\w*|ServiceInternalError|ServiceUnavailable|"
            r"Internal service error|internal error|HandlerErrorCode: (?:InternalFailure|"
            r"ServiceInternalError|GeneralServiceException|NetworkFailure)",
        ),
        confidence="likely",
        rank=1,
        next=("cdk deploy -c config={file} --all",),
        kinds=("stack-event", "cluster-event", "cluster", "node-group", "file-system"),
    ),
    Signature(
        "custom-resource-silent",
        "a custom resource's function did not answer CloudFormation: it cannot reach it, or ended "
        "early; see the function's log",
        (
            r"did not receive a response from your custom resource",
            r"Custom Resource failed to stabilize",
        ),
        confidence="likely",
        rank=1,
        next=(
            "aws logs describe-log-groups --log-group-name-prefix /aws/lambda/ --region {region}",
            _EVENTS,
        ),
        kinds=_STACKS,
    ),
    Signature(
        "not-stable",
        "{resource} was not ready in the time that CloudFormation waits",
        (
            r"NotStabilized|did not stabilize|stopped stabili[sz]ing|exceeded attempts to wait|"
            r"WaitCondition (?:timed out|received failed)|Failed to receive \d+ resource signal|"
            r"Resource (?:timed out|creation timed out)|timed out (?:waiting|while|after)",
            r"HandlerErrorCode: NotStabilized",
        ),
        confidence="likely",
        rank=1,
        next=(_EVENTS,),
        rules=("CW-L015",),
        kinds=_STACKS,
    ),
    Signature(
        "not-stable-resource",
        "CloudFormation: a resource[ ({type})] was not ready in the time that its handler waits"
        "[: {message}]",
        (
            r"returned message: \"(?P<message>[^\"\n]{1,200})\".{0,120}HandlerErrorCode: NotStabilized",
            r"\b(?P<type>[A-Za-z]\w{1,30}::\w[\w:]{1,80})\b[^\n]{0,300}\bdid not stabilize",
            r"\bNotStabilized(?:Exception)?\b",
        ),
        confidence="likely",
        rank=1,
        next=(_EVENTS, "clusterwright diagnose {file} deploy"),
        rules=("CW-L015",),
    ),
    Signature(
        "custom-resource",
        _custom,
        (
            r"Received response status \[FAILED\] from custom resource\. Message returned: "
            r"(?P<message>[^\n]{1,300})",
        ),
        rank=1,
        next=(_EVENTS,),
        kinds=_STACKS,
    ),
)
