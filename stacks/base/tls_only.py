"""The policy statement with which a queue or a topic refuses requests without TLS."""

from __future__ import annotations

from aws_cdk import aws_iam as iam


def tls_only(action: str, arn: str) -> iam.PolicyStatement:
    """Deny an action on what `arn` names over plain HTTP."""
    return iam.PolicyStatement(
        sid="TlsOnly",
        effect=iam.Effect.DENY,
        principals=[iam.AnyPrincipal()],
        actions=[action],
        resources=[arn],
        conditions={"Bool": {"aws:SecureTransport": "false"}},
    )
