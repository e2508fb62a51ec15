"""Refusals in AWS's words, with each service's error code and status.

https://docs.aws.amazon.com/IAM/latest/UserGuide/troubleshoot_access-denied.html
https://docs.aws.amazon.com/AWSEC2/latest/APIReference/errors-overview.html
https://docs.aws.amazon.com/AmazonS3/latest/userguide/troubleshoot-403-errors.html
"""

from __future__ import annotations

from clusterwright_localaws.core.errors import AwsError
from clusterwright_localaws.iam.evaluation import Decision
from clusterwright_localaws.iam.principals import Caller


def message(
    caller: Caller, action: str, resource: str, decision: Decision, *, quoted: bool
) -> str:
    """Return the sentence; `quoted` puts the resource between quotation marks, as S3 does."""
    who = caller.arn or caller.service or "anonymous"
    shown = f'"{resource}"' if quoted else resource
    article = "an" if decision.reason[:1] in "aeio" else "a"
    why = (
        f"with an explicit deny in {article} {decision.reason}"
        if decision.outcome == "explicitDeny"
        else f"because no {decision.reason} allows the {action} action"
    )
    return f"User: {who} is not authorized to perform: {action} on resource: {shown} {why}"


def refusal(
    service: str, caller: Caller, action: str, resource: str, decision: Decision
) -> AwsError:
    """Return the error of a service that refuses an action."""
    text = message(caller, action, resource, decision, quoted=service == "s3")
    if service == "ec2":
        return AwsError(
            "UnauthorizedOperation",
            f"You are not authorized to perform this operation. {text}",
            403,
        )
    if service in ("s3", "s3control"):
        return AwsError("AccessDenied", text, 403)
    if service == "sns":
        return AwsError("AuthorizationError", text, 403)
    from clusterwright_localaws.server.wire import service_model

    protocol = str(service_model(service).protocol)
    if protocol in ("query", "rest-xml"):
        return AwsError("AccessDenied", text, 403)
    return AwsError("AccessDeniedException", text, 403 if protocol == "rest-json" else 400)
