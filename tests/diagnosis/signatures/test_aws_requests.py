"""Signatures of the family `aws_requests`, with messages as their sources write them."""

from __future__ import annotations

import pytest

from tests.diagnosis.made import findings, item, signature_of

CASES = (
    (
        "stack-event",
        "ROLLBACK_COMPLETE state and can not be updated: stack is in ROLLBACK_COMPLETE state and can not be updated",
        "stuck-stack",
    ),
    (
        "stack-event",
        "Source image 1.dkr.ecr.us-east-1.amazonaws.com/api:v1 does not exist. Provide a valid "
        "source image.",
        "function-image",
    ),
    ("stack-event", "No export named prod-network:Vpc found", "export-missing"),
    (
        "stack-event",
        "Export with name prod-VpcId is already exported by stack prod-old. Rollback requested",
        "already-exists",
    ),
    ("stack-event", "Resource stopped stabilizing: instances are not InService", "not-stable"),
    (
        "stack-event",
        "Stack [prod-storage] cannot be deleted while TerminationProtection is enabled",
        "termination-protection",
    ),
    (
        "stack-event",
        "Properties validation failed for resource X with message: #: extraneous key [a] is not permitted",
        "invalid-request",
    ),
    ("stack-event", "The following hook(s) failed: [Acme::S3::Encryption]", "hook"),
    (
        "stack-event",
        "Hook failed with message: Template failed validation, the following rule(s) failed: "
        "AWS_S3_Bucket_AccessControl. Full output was written to s3://logs/report.json",
        "hook",
    ),
    ("stack-event", "OptInRequired: You are not subscribed to this service", "opt-in"),
    (
        "stack-event",
        "Received response status [FAILED] from custom resource. Message returned: Error: "
        "UPGRADE FAILED: another operation is in progress",
        "chart",
    ),
    (
        "stack-event",
        "Received response status [FAILED] from custom resource. Message returned: no such index",
        "custom-resource",
    ),
    ("stack-event", "Resource of type X with identifier y did not stabilize.", "not-stable"),
    (
        "stack-event",
        "Cannot create cluster 'a' because us-east-1c, the targeted availability zone, does not "
        "currently have sufficient capacity to support the cluster",
        "control-plane-zone",
    ),
    (
        "stack-event",
        "Your request for accessing resources in this region is being validated",
        "opt-in",
    ),
    (
        "scaling-activity",
        "The requested configuration is currently not supported. Launching EC2 instance failed.",
        "invalid-instance-type",
    ),
    (
        "stack-event",
        "The architecture 'arm64' of the specified instance type does not match the architecture "
        "'x86_64' of the specified AMI.",
        "image-architecture",
    ),
    (
        "scaling-activity",
        "The requested instance type's architecture (x86_64) does not match the architecture in the "
        "manifest for ami-0ef72f9111fdc5f97 (arm64). Launching EC2 instance failed.",
        "image-architecture",
    ),
    ("node-group", "KeyPair Devopskeypair.pem not found", "key-pair"),
    ("stack-event", "The key pair 'ops' does not exist (Service: AutoScaling)", "key-pair"),
    ("stack-event", "The KMS key 'ops' does not exist (Service: Kms)", "kms-key-unusable"),
    (
        "stack-event",
        "Cannot create cluster 'a' because EKS does not support creating control plane instances in "
        "us-east-1e, the targeted availability zone.",
        "control-plane-zone",
    ),
    (
        "stack-event",
        "The specified number '2' for the device index exceeds the maximum number of network "
        "interfaces supported by the network card at network card index 2.",
        "interface-index",
    ),
)


@pytest.mark.parametrize(("kind", "text", "signature"), CASES)
def test_message_has_its_signature(kind: str, text: str, signature: str) -> None:
    assert signature_of(kind, text) == (signature,)


FSX = "Amazon FSx is unable to validate access to the S3 bucket. Ensure the IAM role or user you are using has s3:Get*, s3:List* and s3:PutObject permissions to the S3 bucket prefix."


@pytest.mark.parametrize("failed", [True, False])
@pytest.mark.parametrize("kind", ["stack-event", "log"])
@pytest.mark.parametrize(
    ("text", "signature", "said"),
    [
        (FSX, "repository-access", "s3:PutObject"),
        (f"BadRequest: {FSX}", "repository-access", "s3:PutObject"),
        (
            f'Resource handler returned message: "{FSX} (Service: FSx, Status Code: 400)" '
            "(RequestToken: 1-2, HandlerErrorCode: InvalidRequest)",
            "repository-access",
            "s3:PutObject",
        ),
        (
            "Resource of type 'AWS::FSx::FileSystem' with identifier 'fs-1' did not stabilize.",
            "not-stable",
            "was not ready",
        ),
        (
            'Resource handler returned message: "Exceeded attempts to wait" (RequestToken: 1-2, '
            "HandlerErrorCode: NotStabilized)",
            "not-stable",
            "was not ready",
        ),
        ("NotStabilized", "not-stable", "was not ready"),
    ],
)
def test_plain_lines(kind: str, failed: bool, text: str, signature: str, said: str) -> None:
    (found,) = findings(item(kind, text, failed=failed))
    own = signature if kind == "stack-event" else signature.replace("stable", "stable-resource")
    assert found.signature == own
    assert said in found.cause
    assert found.evidence[0].text == text
    assert found.next


def test_what_the_resource_of_a_line_is() -> None:
    (found,) = findings(
        item(
            "log", "Resource of type 'AWS::RDS::DBInstance' with identifier 'a' did not stabilize."
        )
    )
    assert "CloudFormation: a resource (AWS::RDS::DBInstance) was not ready" in found.cause
    line = 'returned message: "Exceeded attempts to wait" (HandlerErrorCode: NotStabilized)'
    (found,) = findings(item("log", line))
    assert found.cause.endswith(": Exceeded attempts to wait")


@pytest.mark.parametrize(
    "text",
    [
        "the loss did not stabilize after 3 epochs",
        "torch::jit did not stabilise the shapes",
        "model::loss stabilized after 200 steps",
        "FSx: access to the S3 bucket acme-corpus is valid",
        "Waiting for AWS::FSx::FileSystem to stabilize",
        "Resource AWS::RDS::DBInstance stabilized",
    ],
)
def test_good_lines(text: str) -> None:
    assert findings(item("log", text)) == ()


RULES = "Template failed validation, the following rule(s) failed: " + ", ".join(
    f"S3_BUCKET_RULE_{number}" for number in range(20)
)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (f"Hook failed with message: {RULES}. Full output was written to s3://x", RULES[:150]),
        (f"Hook failed with message: {RULES}", RULES[:150]),
        ("Hook failed with message: no key. Full output was written to s3://x", "no key"),
        ("Hook failed with message: a\nb", "a"),
        ("The following hook(s) failed: [Acme::Org-x::Hook.y]", "(Acme::Org-x::Hook.y)"),
    ],
)
def test_what_a_hook_says(text: str, said: str) -> None:
    (found,) = findings(item("stack-event", text, failed=True, resource="x"))
    assert found.signature == "hook"
    assert said in found.cause
    assert "Full output" not in found.cause


def test_answer_of_a_custom_resource_has_the_kind_that_its_words_tell() -> None:
    said = "Received response status [FAILED] from custom resource. Message returned: "
    (found,) = findings(item("stack-event", said + "Unsupported Runtime [go1.x]", resource="x"))
    assert "a runtime (of AWS Lambda, Node or Python) is no longer supported: Unsup" in found.cause
    (found,) = findings(item("stack-event", said + "gizmo 7", resource="x"))
    assert found.cause == "a custom resource failed: gizmo 7"


def test_exception_in_the_code_of_a_handler_is_no_invalid_request() -> None:
    text = (
        "Resource handler returned message: \"f() got an unexpected keyword argument 'a' "
        '(TypeError)" (RequestToken: 1, HandlerErrorCode: InvalidRequest)'
    )
    (found,) = findings(item("stack-event", text, failed=True, resource="x"))
    assert found.signature == "handler-code"
    assert "failed in its own code (TypeError)" in found.cause
    other = text.replace("(TypeError)", "(Service: Eks)")
    (found,) = findings(item("stack-event", other, failed=True, resource="x"))
    assert found.signature == "invalid-request"
