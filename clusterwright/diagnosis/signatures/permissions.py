"""IAM, KMS, roles and secrets: what AWS denied, to whom, and by which policy.

Messages: IAM User Guide, "Troubleshoot access denied error messages" (read 2026-11), and the
threads of docs/explanations/diagnosed-failures.yaml.
"""

from __future__ import annotations

from typing import Final

from clusterwright.diagnosis.signature import Signature, Values

_SIMULATE: Final = (
    "aws iam simulate-principal-policy --policy-source-arn {principal} --action-names {action}"
)
_LOOKUP: Final = (
    "aws cloudtrail lookup-events --lookup-attributes "
    "AttributeKey=EventName,AttributeValue={operation} --region {region}"
)
_CHECK: Final = "clusterwright check {file} --only {rules}"
_POLICIES: Final = (
    r"service control policy|resource control policy|permissions boundary|"
    r"session policy|VPC endpoint policy|identity-based policy|resource-based policy"
)


def _denied(values: Values) -> str:
    action = values.get("action", "")
    who = values.get("principal") or values.get("user") or "the identity"
    what = f"IAM: {who} lacks {action}" if action else f"IAM: access denied to {who}"
    on = values.get("on", "").rstrip(".,")
    text = f"{what} on {on}" if on and on != "*" else what
    if action == "iam:CreateServiceLinkedRole":
        return f"{text}: the service-linked role cannot be created"
    if action == "iam:PassRole":
        return f"{text}: the role cannot be passed to the service"
    if action.startswith("kms:"):
        return f"{text}: the KMS key policy or the role's policy does not allow it"
    return text


def _explicitly(values: Values) -> str:
    policy = values["policy"].lower()
    policy = {"service control policy": "service control policy (SCP)"}.get(policy, policy)
    return f"{_denied(values)}: an explicit deny in a {policy}"


def _without(values: Values) -> str:
    return f"{_denied(values)}: no {values['policy'].lower()} allows it"


_SUBJECT = (
    r"(?:User: |identity: )?(?P<principal>arn:[\w:/+=,.@-]+|AIDA\w+)?\s*"
    r"(?:is|are) not authorized to perform:?\s*(?P<action>[\w-]+:\w+)"
    r"(?:\s+on (?:the )?resource:?\s*(?P<on>\S+))?"
)

SIGNATURES: Final = (
    Signature(
        "lambda-not-active",
        "Lambda: a function of the deployment was called before it was active; deploy again",
        (
            r"not in the state function\w*[Aa]ctive",
            r"\b(?:[Ff]unction|[Ll]ambda)\b[^\n]{0,120} not in the state \w*[Aa]ctive",
        ),
        confidence="likely",
        rank=1,
        next=("cdk deploy -c config={file} --all",),
    ),
    Signature(
        "policy-lacks-action",
        "IAM: the role of the deployment lacks {action}",
        (r"policy must (?:include|allow|have) the [`'\"]?(?P<action>[\w-]{2,40}:\w{3,80})",),
        next=(_SIMULATE,),
    ),
    Signature(
        "launch-template-denied",
        "IAM: the identity may not launch instances with the launch template[ {template}]: it lacks "
        "ec2:RunInstances or ec2:CreateTags, or iam:PassRole for the role of the template",
        (r"not authorized to use launch template:? ?(?P<template>[\w.-]{1,160})?",),
        next=("clusterwright check {file} --only CW-I011",),
        rules=("CW-I011",),
    ),
    Signature(
        "ebs-key-denied",
        "KMS: instances cannot use the key of their encrypted EBS volumes, so EC2 ends them at "
        "launch (Client.InternalError)",
        (
            r"Client\.InternalError: Client error on launch",
            r"Client\.InvalidKMSKey\.\w+",
            r"KMS key .*(?:EBS|volume).*(?:not accessible|could not be used|inaccessible)",
            r"(?:EBS|volume)[^\n]{0,80}(?:inaccessible|not accessible|unusable)[^\n]{0,20}KMS key",
        ),
        confidence="likely",
        next=(_CHECK,),
        rules=("CW-I022", "CW-I008"),
    ),
    Signature(
        "kms-key-unusable",
        "KMS: the key[ {key}] is disabled, pending deletion or does not exist",
        (
            r"(?P<key>arn:aws[\w-]*:kms:[\w:/-]+).{0,80}"
            r"(?:is disabled|pending deletion|pending import|does not exist|is not enabled)",
            r"KMSInvalidState|KMSDisabled|KMS\.Disabled|KMSNotFound|KMS\.NotFound"
            r"|KmsKey(?:Disabled|NotFound|MarkedForDeletion)|DisabledException.*key",
            r"(?:KMS|customer master|encryption) key.{0,80}"
            r"(?:is disabled|pending deletion|does not exist|not found|cannot be found|invalid)",
            r"inaccessible.encryption.credentials",
            r"specified key could not be found[^\n]{0,20}NotFoundException",
        ),
        next=(
            "aws kms describe-key --key-id {key} --region {region}",
            _CHECK,
        ),
        rules=("CW-I002",),
    ),
    Signature(
        "kms-key-account",
        "KMS: the key for EKS's secrets is of another account: use a key of the cluster's account",
        (r"keyArn for encryptionConfig must be owned by caller's account",),
        next=(_CHECK,),
        rules=("CW-I007",),
    ),
    Signature(
        "kms-access-denied",
        "KMS: the key policy or a grant does not allow the use of the key[ {key}][ ({action})]",
        (
            r"KMSAccessDenied|KMS\.AccessDenied|KmsGrantRevoked",
            r"(?:not authorized|access denied|denied|do(?:es)? not have (?:access|permission)s?)"
            r".{0,80}(?P<key>arn:aws[\w-]*:kms:[\w:/-]+)",
            r"(?:ciphertext|key) (?:refers to|is in) .*(?:do(?:es)? not have access|not allowed)",
        ),
        next=(_CHECK,),
        rules=("CW-I008", "CW-I002"),
    ),
    Signature(
        "explicit-deny",
        _explicitly,
        (
            _SUBJECT + rf".*with an explicit deny in an? (?P<policy>{_POLICIES})",
            rf"explicit deny in an? (?P<policy>{_POLICIES})",
        ),
        next=(_SIMULATE, _CHECK),
        rules=("CW-I011", "CW-I012"),
    ),
    Signature(
        "no-policy-allows",
        _without,
        (
            _SUBJECT + rf".*because no (?P<policy>{_POLICIES}) allows",
            rf"because no (?P<policy>{_POLICIES}) allows the (?P<action>[\w-]+:\w+) action",
        ),
        next=(_SIMULATE, _CHECK),
        rules=("CW-I011", "CW-I012", "CW-I016"),
    ),
    Signature(
        "role-trust",
        "IAM: the role[ {role}] cannot be assumed by the service: its trust policy does not allow "
        "it, or it was created seconds ago",
        (
            r"(?P<role>arn:aws[\w-]*:iam::\d+:role/[\w/+=,.@-]+).{0,60}(?:cannot|could not|can't|"
            r"unable to) be assumed",
            r"(?:cannot|could not|unable to|failed to|not able to) assume (?:the )?"
            r"(?:IAM )?(?:provided )?(?:execution )?role:? ?['\"]?"
            r"(?P<role>arn:aws[\w-]*:iam::\d+:role/[\w/+=,.@-]+)?",
            r"not authorized to perform:? sts:AssumeRole\w*(?:.* on resource: (?P<role>[\w:/+=,.@-]+))?",
            r"(?:trust (?:policy|relationship)|assume role policy)[^.]{0,80}(?:not|missing|invalid)",
            r"role defined for the function cannot be assumed",
            r"please ensure that the role exists and that its trust relationship policy allows",
        ),
        next=("aws iam get-role --role-name {role_name}", "cdk deploy -c config={file} --all"),
    ),
    Signature(
        "service-linked-role",
        "IAM: a service-linked role is missing and cannot be created",
        (
            r"service[- ]linked role.{0,80}(?:not|cannot|missing|denied|fail|must)",
            r"(?:cannot|not|fail|denied|unable).{0,80}service[- ]linked role",
            r"AWSServiceRoleFor\w+.{0,60}(?:not|does not|missing)",
            r"AuthFailure\.ServiceLinkedRole\w*",
        ),
        next=(_CHECK,),
        rules=("CW-I013",),
    ),
    Signature(
        "secret-missing",
        "Secrets Manager: the secret does not exist, or is marked for deletion",
        (
            r"Secrets Manager can't find the specified secret",
            r"secret(?! access key)(?![^\n]{0,80}namespaces? \").{0,80}(?:marked (?:for|as) delet|scheduled for deletion|does not exist|"
            r"not found|cannot be found)",
            r"GetSecretValue operation: Secrets Manager can",
        ),
        next=(_CHECK,),
        rules=("CW-I005", "CW-I009"),
    ),
    Signature(
        "image-denied",
        "EC2: the account may not use the AMI[ {image}]",
        (r"Not authorized for images: \[?(?P<image>ami-\w+)",),
        next=(_CHECK,),
        rules=("CW-I014",),
    ),
    Signature(
        "access-denied",
        _denied,
        (
            _SUBJECT,
            r"(?P<principal>arn:aws[\w:/+=,.@-]+) does(?: not|n't) have (?P<action>[\w-]+:\w+) "
            r"permission",
            r"API: (?P<action>[\w-]+:\w+) You are not authorized",
            r"action (?P<action>[a-z0-9-]+:\w+) is (?:explicit|implicit)Deny",
            r"(?:lacks|missing|required|need|grant|without).{0,40}permissions?:? "
            r"(?:to perform )?[`'\"]?(?P<action>[a-z0-9-]+:[A-Z]\w+)",
        ),
        next=(_SIMULATE, _CHECK),
        rules=("CW-I011", "CW-I016"),
    ),
    Signature(
        "access-denied-unnamed",
        "IAM: access denied[ to {operation}][ on {bucket}]",
        (
            r"An error occurred \((?:AccessDenied\w*|403|Forbidden|UnauthorizedOperation|"
            r"NotAuthorized\w*|AuthorizationError)\) when calling the (?P<operation>\w+)",
            r"UnauthorizedOperation|AccessDeniedException|\bAccessDenied\b|AuthorizationError"
            r"|NotAuthorizedException|HandlerErrorCode: (?:AccessDenied|UnauthorizedTaggingOperation)",
            # The words of EC2; other services and servers write what else one may not do.
            r"\bYou are not authorized to (?:perform this operation|launch instances with this "
            r"launch template)|Encoded authorization failure message",
            r"\bs3://(?P<bucket>[\w.-]+)\S*.{0,40}\b403\b.{0,20}Forbidden",
            r"HTTP (?:Error )?403\b.*amazonaws",
        ),
        next=(_LOOKUP, _CHECK),
        rules=("CW-I011", "CW-I016", "CW-N030"),
    ),
    Signature(
        "aws-clock",
        "AWS: the clock of the machine that signs requests differs from the time of AWS[ on {node}]",
        (
            r"Signature expired: \d{8}T\d{6}Z is now earlier than|Signature not yet current|"
            r"signature check failed[^\n]{0,60}(?:time|clock) skew",
        ),
        next=("clusterwright diagnose {file} node {node}",),
    ),
    Signature(
        "credentials",
        "credentials: none were found, or they have expired[ on {node}]",
        (
            r"Unable to locate credentials|NoCredentialsError|Credentials could not be "
            r"(?:loaded|located)|could not find credentials",
            r"(?:provided|security|session) token (?:has|is) expired|"
            r"\bExpiredToken\w*|security token included in the request is (?:expired|invalid)"
            r"|NoCredentialProviders|no EC2 IMDS role found|getting credentials: exec: executable \S+ failed|"
            r"failed to (?:refresh cached|get|retrieve) credentials|error (?:retriev|load|obtain)ing "
            r"credentials?\b|EC2MetadataError|WebIdentityErr"
            r"|RequestExpired|InvalidAccessKeyId|SignatureDoesNotMatch|InvalidClientTokenId|UnrecognizedClientException",
            r"(?:IMDS|instance metadata|169\.254\.169\.254).{0,80}(?:timed? ?out|refused|"
            r"unreachable|unavailable|fail)",
        ),
        confidence="likely",
        next=("aws sts get-caller-identity", "clusterwright diagnose {file} node {node}"),
    ),
    Signature(
        "bucket-denied",
        "S3: nodes may not read or write the bucket[ {bucket}]",
        (r"(?P<bucket>s3://[\w.-]+)\S*.{0,120}(?:access denied|permission denied)",),
        next=(_CHECK,),
        rules=("CW-I016", "CW-N024"),
    ),
)
