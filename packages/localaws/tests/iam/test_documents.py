"""Tests of iam.documents: which policy documents the services take."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from clusterwright_localaws.core.errors import AwsError
from clusterwright_localaws.iam.document_kinds import IDENTITY, MANAGED
from clusterwright_localaws.iam.documents import DOCUMENTS, check
from packages.localaws.tests.parts import client, refusal

ACCOUNT = "123456789012"
Put = Callable[[str], Any]
OWN = f"arn:aws:iam::{ACCOUNT}"
TRUSTED = {
    "Effect": "Allow",
    "Principal": {"Service": "ec2.amazonaws.com"},
    "Action": "sts:AssumeRole",
}
IAM, SNS = "MalformedPolicyDocument", "InvalidParameter"


def document(*statements: Any, **more: Any) -> str:
    return json.dumps({"Version": "2012-10-17", "Statement": list(statements), **more})


def allow(**changed: Any) -> dict[str, Any]:
    """A statement of an identity policy; None leaves an element out."""
    made = {"Effect": "Allow", "Action": "s3:GetObject", "Resource": "*", **changed}
    return {name: value for name, value in made.items() if value is not None}


def of_resource(action: str, **changed: Any) -> dict[str, Any]:
    return allow(**{"Principal": {"AWS": ACCOUNT}, "Action": action, **changed})


def refused(put: Put, text: str) -> tuple[str, str] | None:
    try:
        put(text)
    except Exception as error:  # noqa: BLE001  a client's error
        found = error.response["Error"]  # type: ignore[attr-defined]
        return found["Code"], found["Message"]
    return None


def identity(text: str) -> Any:
    return client("iam").create_policy(PolicyName="p", PolicyDocument=text)


def inline(text: str) -> Any:
    client("iam").create_user(UserName="u")
    return client("iam").put_user_policy(UserName="u", PolicyName="p", PolicyDocument=text)


def session(text: str) -> Any:
    return client("sts").get_federation_token(Name="name", Policy=text)


def trust(text: str) -> Any:
    return client("iam").create_role(RoleName="r", AssumeRolePolicyDocument=text)


def key(text: str) -> Any:
    return client("kms").create_key(Policy=text)


def topic(text: str) -> Any:
    return client("sns").create_topic(Name="t", Attributes={"Policy": text})


def queue(text: str) -> Any:
    return client("sqs").create_queue(QueueName="q", Attributes={"Policy": text})


def secret(text: str) -> Any:
    secrets = client("secretsmanager")
    secrets.create_secret(Name="s", SecretString="x")
    return secrets.put_resource_policy(SecretId="s", ResourcePolicy=text)


def repository(text: str) -> Any:
    ecr = client("ecr")
    ecr.create_repository(repositoryName="repo")
    return ecr.set_repository_policy(repositoryName="repo", policyText=text)


def endpoint(text: str) -> Any:
    ec2 = client("ec2")
    vpc = ec2.create_vpc(CidrBlock="10.0.0.0/16")["Vpc"]["VpcId"]
    return ec2.create_vpc_endpoint(
        VpcId=vpc, ServiceName="com.amazonaws.us-east-1.s3", PolicyDocument=text
    )


def logs(text: str) -> Any:
    return client("logs").put_resource_policy(policyName="p", policyDocument=text)


def bus(text: str) -> Any:
    return client("events").put_permission(Policy=text)


def without(given: dict[str, Any], name: str) -> dict[str, Any]:
    return {key: value for key, value in given.items() if key != name}


def without_version() -> str:
    return json.dumps(without(json.loads(document(allow())), "Version"))


def numbers(*values: Any) -> dict[str, Any]:
    """Conditions of values without quotation marks."""
    value = values[0] if len(values) == 1 else list(values)
    return {
        "NumericLessThanEquals": {"aws:MultiFactorAuthAge": value},
        "DateGreaterThan": {"aws:EpochTime": value},
    }


def since(time: str) -> str:
    return document(allow(Condition={"DateGreaterThan": {"aws:CurrentTime": [time]}}))


NO_VERSION = "Policy document must be version 2012-10-17 or greater."
MISSING = f"{OWN}:role/none"
NO_SYNTAX = "Syntax errors in policy."
_ECR = "Invalid parameter at 'PolicyText' failed to satisfy constraint: "


@pytest.mark.parametrize(
    ("put", "text", "expected"),
    [
        (
            identity,
            document(allow(Principal="*")),
            (IAM, "Policy document should not specify a principal."),
        ),
        (
            identity,
            document(allow(Sid="one two")),
            (
                IAM,
                "Statement IDs (SID) must be alpha-numeric. Check that your input satisfies the "
                "regular expression [0-9A-Za-z]*",
            ),
        ),
        (
            identity,
            document(allow(Sid="a"), allow(Sid="a")),
            (IAM, "Statement IDs (SID) in a single policy must be unique."),
        ),
        (
            identity,
            document(allow()).replace('"Effect"', '"Effect": "Deny", "Effect"', 1),
            (IAM, NO_SYNTAX),
        ),
        (identity, document(allow(Condition={"Equals": {"a": "b"}})), (IAM, NO_SYNTAX)),
        (
            trust,
            document({**TRUSTED, "Principal": {"AWS": MISSING}}),
            (IAM, f'Invalid principal in policy: "AWS":"{MISSING}"'),
        ),
        (
            trust,
            document({**TRUSTED, "Principal": {"Service": "nothing"}}),
            (IAM, 'Invalid principal in policy: "SERVICE":"nothing"'),
        ),
        (
            trust,
            document({**TRUSTED, "Principal": "*"}),
            (IAM, 'AssumeRolepolicy contained an invalid principal: "STAR":"*".'),
        ),
        (
            trust,
            document({**TRUSTED, "Principal": {"Federated": "arn:aws:iam//x"}}),
            (IAM, "Federated principals must be valid domain names or SAML metadata ARNs"),
        ),
        (
            trust,
            document({name: TRUSTED[name] for name in ("Effect", "Action")}),
            (IAM, "Missing required field Principal"),
        ),
        (
            trust,
            document({**without(TRUSTED, "Principal"), "NotPrincipal": {"AWS": ACCOUNT}}),
            (IAM, "A trust policy cannot have NotPrincipal."),
        ),
        (identity, without_version(), (IAM, NO_VERSION)),
        (identity, document(allow(), Version="2008-10-17"), (IAM, NO_VERSION)),
        (
            identity,
            document(allow(Resource="arn:aws:s3:us-east-1::bucket")),
            (
                IAM,
                "Resource arn:aws:s3:us-east-1::bucket can not contain region information.",
            ),
        ),
        (inline, since("2026-13-01T10:30Z"), (IAM, "The policy failed legacy parsing")),
        (
            key,
            document(of_resource("kms:*"), of_resource("kms:*", Principal={"AWS": MISSING})),
            (
                "MalformedPolicyDocumentException",
                "Policy contains a statement with one or more invalid principals.",
            ),
        ),
        (
            topic,
            document(of_resource("sns:*")),
            (
                "InvalidParameter",
                "Invalid parameter: Policy statement action out of service scope!",
            ),
        ),
        (
            topic,
            document(of_resource("sns:Publish"), of_resource("sns:Subscribe")),
            (
                "InvalidParameter",
                "Invalid parameter: Every policy statement must have a unique ID",
            ),
        ),
        (
            topic,
            document(of_resource("sns:Publish", Principal={"AWS": MISSING})),
            (SNS, "Invalid parameter: Policy Error: PrincipalNotFound"),
        ),
        (
            queue,
            document(of_resource("sqs:SendMessage", Principal={"AWS": MISSING})),
            ("InvalidAttributeValue", "Invalid value for the parameter Policy."),
        ),
        (
            secret,
            document(of_resource("secretsmanager:*", Effect="AllowSomething")),
            (
                "MalformedPolicyDocumentException",
                "This resource policy contains a syntax error.",
            ),
        ),
        (
            secret,
            document(of_resource("secretsmanager:*", Principal={"AWS": MISSING})),
            (
                "MalformedPolicyDocumentException",
                "This resource policy contains an unsupported principal.",
            ),
        ),
        (
            repository,
            document(of_resource("ecr:BatchGetImage")),
            ("InvalidParameterException", f"{_ECR}'Invalid repository policy provided'"),
        ),
        (
            repository,
            document(of_resource("ecr:BatchGetImage", Resource=None, Principal={"AWS": MISSING})),
            ("InvalidParameterException", f"{_ECR}'Principal not found'"),
        ),
        (
            endpoint,
            document(allow()),
            ("InvalidPolicyDocument", "The Policy Document is not valid."),
        ),
        (
            logs,
            document(of_resource("logs:PutLogEvents", Principal={"AWS": "es.amazonaws.com"})),
            ("InvalidParameterException", "Could not convert to persistable policy."),
        ),
        (
            bus,
            document(of_resource("events:PutEvents", Effect="Maybe")),
            (
                "ValidationException",
                "The policy of the event bus is not valid: Syntax errors in policy: Effect must "
                "be Allow or Deny",
            ),
        ),
    ],
)
@pytest.mark.usefixtures("aws")
def test_refused_documents(put: Put, text: str, expected: tuple[str, str]) -> None:
    assert refused(put, text) == expected


@pytest.mark.parametrize(
    ("put", "text"),
    [
        (identity, document(allow(Condition={"NoOperator": {}}))),
        (identity, document(allow(Sid=""), allow(Sid=""), Id="some id")),
        (identity, document(allow(Action=None, NotAction="iam:*"))),
        *(
            (put, text)
            for put in (inline, session)
            for text in (without_version(), document(allow(), Version="2008-10-17"))
        ),
        *(
            (put, document(allow(Condition=numbers(*values))))
            for put in (identity, inline, session)
            for values in ((300,), (300, 3600))
        ),
        (trust, document({**TRUSTED, "Condition": numbers(3600)})),
        *(
            (identity, since(time))
            for time in (
                "2026-01-01T10:30:00-05:00",
                "2026-01-01T10:30Z",
                "2026-01-01T10:30+01:00",
            )
        ),
        *(
            (identity, document(allow(Resource=f"arn:aws:s3:us-east-1:{ACCOUNT}:{name}")))
            for name in (
                "storage-lens/*",
                "storage-lens-group/group",
                "job/*",
                "access-grants/default",
                "async-request/mrap/*/*",
            )
        ),
        *(
            (inline, document(allow(Action="iam:*", Resource=f"arn:aws:iam::{name}")))
            for name in ("*:*", "*:root", "aws:role-template/x.amazonaws.com/name:1")
        ),
        (trust, document({**TRUSTED, "Action": ["sts:AssumeRole", "sts:SetContext"]})),
        (trust, document({**TRUSTED, "Action": "STS:assumerole"})),
        (trust, document({**TRUSTED, "Principal": {"AWS": ["*", ACCOUNT, f"{OWN}:root"]}})),
        (trust, document({**TRUSTED, "Principal": {"AWS": "arn:aws:iam::999988887777:role/x"}})),
        (trust, document({**TRUSTED, "Principal": {"Federated": "accounts.google.com"}})),
        (key, document(of_resource("kms:*", Sid="any text, with spaces"))),
        (key, document(of_resource("kms:*")).replace('"Sid"', '"Sid": "a", "Sid"')),
        (topic, document(of_resource("SNS:Publish", Sid="a"), of_resource("SNS:Get*", Sid="b"))),
        *(
            (topic, document(of_resource(f"sns:{name}")))
            for name in (
                "GetDataProtectionPolicy",
                "ListTagsForResource",
                "PutDataProtectionPolicy",
                "Receive",
            )
        ),
        (queue, document(of_resource("sqs:*", Resource=None))),
        (secret, document(of_resource("secretsmanager:*"))),
        (repository, document(of_resource("ecr:BatchGetImage", Resource=None))),
        (endpoint, document(allow(Principal="*"))),
        (logs, document(of_resource("logs:PutLogEvents"))),
        (bus, document(of_resource("events:PutEvents", Sid="a"))),
    ],
)
@pytest.mark.usefixtures("aws")
def test_accepted_documents(put: Put, text: str) -> None:
    assert refused(put, text) is None


@pytest.mark.usefixtures("aws")
def test_a_principal_that_exists_in_the_account() -> None:
    trust(document(TRUSTED))
    named = {"AWS": f"{OWN}:role/r"}
    assert refused(key, document(of_resource("kms:*", Principal=named))) is None


@pytest.mark.usefixtures("aws")
def test_an_attribute_of_a_topic_that_is_no_policy() -> None:
    arn = client("sns").create_topic(Name="t")["TopicArn"]
    client("sns").set_topic_attributes(
        TopicArn=arn, AttributeName="DisplayName", AttributeValue="no policy"
    )
    wrong = {"TopicArn": arn, "AttributeName": "Policy", "AttributeValue": "no policy"}
    assert refusal(client("sns").set_topic_attributes, **wrong)[0] == "InvalidParameter"


def test_members_with_policies_exist_in_the_models() -> None:
    for (service, operation), (path, _) in DOCUMENTS.items():
        shape = client(service).meta.service_model.operation_model(operation).input_shape
        assert path.split(".")[0] in shape.members, (service, operation)


def test_long_documents_are_measured_in_bytes() -> None:
    from clusterwright_localaws.iam.document_kinds import ENDPOINT

    with pytest.raises(AwsError, match="not valid"):
        check(document(allow(Principal="*", Sid="ä" * 10_240)), ENDPOINT, ACCOUNT)
    check(document(allow(Principal="*", Sid="a" * 10_240)), ENDPOINT, ACCOUNT)


def test_a_statement_is_required() -> None:
    for text in (document(), '{"Version": "2012-10-17"}'):
        with pytest.raises(AwsError, match="Syntax errors"):
            check(text, IDENTITY, ACCOUNT)


@pytest.mark.usefixtures("aws")
def test_policies_of_aws_are_accepted() -> None:
    from moto.iam.aws_managed_policies import aws_managed_policies_data

    policies = json.loads(aws_managed_policies_data)
    assert len(policies) > 1000
    for name, policy in policies.items():
        check(json.dumps(policy["Document"]), MANAGED, name)
