"""Errors of AWS's agents on nodes by their part."""

from __future__ import annotations

import pytest

from clusterwright.diagnosis.parts_agents import EFS, FLUENT_BIT, POD_IDENTITY, SSM, WRITERS
from tests.diagnosis.made import findings, of_log

_SSM = "2026-11-03 12:40:12.7541 ERROR [ssm-agent-worker] {}"
_POD = '{{"client-addr":"10.1.1.1:5","level":"error","msg":"{}","time":"2026-11-03T12:40:12Z"}}'
_EFS = "2026-11-03 12:40:12 UTC - ERROR - {}"
_FLUENT = "Nov  3 12:40:12 i-1 fluent-bit[9]: [2026/11/03 12:40:12] [error] {}"
CASES = (
    (_SSM, "Agent failed to assume any identity", "no identity or no credentials"),
    (_SSM, "Failed to fetch region from the platform", "does not know its instance or region"),
    (_SSM, "failed to open the control channel with error", "sessions"),
    (_SSM, "Failed to upload the output to s3", "S3 or CloudWatch Logs"),
    (_SSM, "Unable to gather the applications", "inventory"),
    (_SSM, "[pluginName=aws:softwareInventory] [aws:softwareInventory] it fell", "inventory"),
    (_SSM, "update failed with status 3", "its version is damaged"),
    (_SSM, "document is not valid", "cannot be run on the node"),
    (_SSM, "worker process has crashed", "ended or does not start"),
    (_SSM, "cannot read the folder", "/var/lib/amazon/ssm"),
    (
        _POD,
        "Error fetching credentials: unable to fetch credentials from EKS Auth: context canceled",
        "the pod ended its request before the service answered",
    ),
    (_POD, "Service account token is not valid for EKS Auth", "token of the pod's"),
    (_POD, "failed to add the route to the interface", "link-local"),
    (_POD, "the server ended", "cannot listen on its port"),
    (_EFS, "AWS Access Key ID and Secret Access Key are not found in the credentials file", "IAM"),
    (_EFS, "Failed to create the certificate", "TLS tunnel"),
    (_EFS, "no mount target was found in the zone", "mount target"),
    (_EFS, "Command '['which', 'stunnel']' returned non-zero exit status 1.", "TLS tunnel"),
    (_EFS, "could not create the log group a", "CloudWatch Logs"),
    (_EFS, "an option is not valid", "configuration"),
    (_EFS, "Failed to mount fs-1 at /a: returncode=32", "cannot be mounted"),
    (_FLUENT, "[aws_credentials] Could not read them from the file", "no credentials of AWS"),
    (_FLUENT, "[filter:kubernetes:kubernetes.0] no upstream", "cannot ask the Kubernetes API"),
    (_FLUENT, "[upstream] connection #49 to 10.0.0.1:443 timed out", "where it sends logs"),
    (_FLUENT, "[storage] format check failed: tail.0/1.flb", "its buffer (storage)"),
    (_FLUENT, "[output:cloudwatch_logs:cloudwatch_logs.0] Failed to send events", "not take them"),
    (_FLUENT, "[input:tail:tail.0] it could not be registered", "cannot read the logs"),
    (_FLUENT, "[config] section 'output' is wrong", "its configuration is not valid"),
)


@pytest.mark.parametrize(("line", "message", "words"), CASES)
def test_message_is_of_its_part(line: str, message: str, words: str) -> None:
    (found,) = findings(*of_log(line.format(message)))
    assert words in found.cause


def test_lines_of_others_have_no_part() -> None:
    for one in WRITERS:
        assert one.error("2026-11-03 12:40:12 INFO all is well") is None
    assert SSM.error("2026-11-03 12:40:12.7541 ERROR worker process has crashed") is None
    assert POD_IDENTITY.error("level: error msg: token") is None
    assert EFS.error("ERROR - Failed to mount") is None
    assert FLUENT_BIT.error("[2026/11/03 12:40:12] [ warn] [engine] failed to flush") is None
