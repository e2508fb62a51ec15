"""Agents on nodes by the words of their errors: the SSM agent, EKS Pod Identity, EFS, Fluent Bit.

Sources: aws/amazon-ssm-agent (agent, core, common: messages of Errorf, Error and Critical),
aws/eks-pod-identity-agent (pkg, internal, configuration), aws/efs-utils (src/mount_efs,
src/watchdog), fluent/fluent-bit (src, plugins: names before messages); read 2026-11.
"""

from __future__ import annotations

import re
from typing import Final

from clusterwright.diagnosis.parts import part
from clusterwright.diagnosis.writer import Writer, fields

_SSM_NAMES: Final = (
    r"amazon-ssm-agent|ssm-(?:agent|document|session|cli)-worker|ssm-session-logger"
)
_SSM_COMPONENTS: Final = (
    rf"\[(?:{_SSM_NAMES}|CredentialRefresher|EC2Identity|OnPremIdentity|Registrar|"
    r"TokenRequestService|MessageService|MGSInteractor|MDSInteractor|HealthCheck|"
    r"LongRunningPluginsManager|LongRunningWorkerContainer|WorkerProvider|ChannelManager|"
    r"EngineProcessor|DataBackend|OutOfProcExecuter|BasicExecuter|MessageBus|"
    r"instanceID=[^\]\n]{1,40})\]|\bEC2RoleProvider\b"
)

SSM: Final = Writer(
    "SSM agent",
    re.compile(
        # Its name in syslog, or in its own files the component that wrote the line.
        rf"(?:\b(?:{_SSM_NAMES})\[\d+\]: [^\n]{{0,60}}?|"
        r"^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d+)? "
        rf"(?=(?:ERROR|CRITICAL) [^\n]{{0,80}}?(?:{_SSM_COMPONENTS})))"
        r"(?:ERROR|CRITICAL) (?P<place>(?:\[[^\]\n]{1,80}\] ){0,8})(?P<message>\S[^\n]*)"
    ),
    (
        part(
            "it has no identity or no credentials, so Systems Manager and Session Manager do not "
            "know the node: its role, its registration or its hardware's fingerprint",
            r"identit|credential|\brole\b|regist(?:er|ration)|RoleToken|fingerprint|"
            r"hardware hash|RSA signature|Machine configuration has changed|instance profile|"
            r"default host management",
        ),
        part(
            "it does not know its instance or region: the metadata service does not answer",
            r"instance ?ID|instance (?:id|region|type)|InstanceIdentityDocument|\bregion\b|"
            r"platform|OS version|Linux variant|machineID|ec2 ?metadata|\bIMDS\b",
        ),
        part(
            "sessions (Session Manager) do not work: its channel to the service, or the user or "
            "shell of a session",
            r"session|serializ|\b(?:put|get)[A-Z]\w+ failed|bytesTo|ToBytes|datagram|stream data|"
            r"control signal|data ?channel|control ?channel|web ?socket|\bMGS\b|MessageGateway|"
            r"ssmmessages|ssm-user|sudoers|\bpty\b|smux|\bport\b|\buid\b|group id|groups? for|"
            r"shell|password",
        ),
        part(
            "what it collects or the output of commands cannot be sent to S3 or CloudWatch Logs",
            r"cloud ?watch|log ?(?:group|stream)|\bs3\b|upload|bucket|PutLogEvents|sequence token|"
            r"pushing logs",
        ),
        part(
            "its inventory of the node cannot be collected or sent",
            r"inventory|gather|package manager|collector",
            r"aws:softwareInventory",
        ),
        part(
            "it cannot be updated, or its version is damaged",
            place=r"aws:updateSsmAgent",
            words=r"\bupdat(?!.{0,20}association)|manifest|VERSION file|\binstall|uninstall|"
            r"rollback",
        ),
        part(
            "a command, document or association cannot be run on the node",
            r"document|command|association|orchestration|plug-?in|run ?script|\bscripts?\b|"
            r"cancel|reply|replies|AgentJob|AgentTask|resource|message",
        ),
        part(
            "one of its processes ended or does not start",
            r"worker|core (?:agent|manager|module)|crash|panic|\bIPC\b|named pipe|termination|"
            r"processor|health|initiali[sz]e|start",
        ),
        part(
            "a file or folder of it cannot be read or written (/var/lib/amazon/ssm, "
            "/var/log/amazon/ssm)",
            r"\bfiles?\b|folder|director|\bread|\bwrit|\bsav(?:e|ing)\b|\bload",
        ),
    ),
)


def _of_service(message: str) -> str | None:
    """What EKS Auth or the request of a pod says, which has no code."""
    if re.search(r"context cancell?ed", message):
        return (
            "the pod ended its request before the service answered, as SDKs do after their limit "
            "of time: the node reaches eks-auth slowly or not at all"
        )
    if re.search(r"token (?:is|cannot|contains|could)|Service account token", message):
        return "the token of the pod's service account is not valid"
    return None


POD_IDENTITY: Final = Writer(
    "EKS Pod Identity agent",
    re.compile(
        # JSON as `log_lines` writes it, or with the name of its pod or program before it.
        r"^(?=[^\n]*(?:\b(?:client|bind|probe)-addr\"?: ?|\bEKS Auth\b|pod-identity-agent))"
        + fields(
            r"\blevel\"?: ?\"?(?:error|fatal|panic)\b", r"\bmsg\"?: ?\"?(?P<message>\S[^\n]*)"
        )
    ),
    (
        part(
            "a pod gets no credentials from EKS Auth",
            r"credentials|EKS Auth|AssumeRoleForPodIdentity|token",
        ),
        part(
            "the agent cannot give the node its link-local addresses (169.254.170.23, "
            "fd00:ec2::23): IPv6 is switched off there, or it lacks NET_ADMIN",
            r"\blink\b|interface|address|family|route|netlink",
        ),
        part(
            "the agent does not start or cannot listen on its port",
            r"server|listen|agent|executor|configuration|verbosity|exiting|probe",
        ),
    ),
    _of_service,
)

EFS: Final = Writer(
    "EFS: the mount helper (amazon-efs-utils)",
    re.compile(
        r"(?:\bmount\.efs\b[^\n]{0,60}|amazon[-/]efs[^\n]{0,80}|"
        r"^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC - )\bERROR - "
        r"(?P<message>(?P<place>Command '\['which', '\w+'\]')?\S?[^\n]*)"
    ),
    (
        part(
            "it has no credentials for the file system (IAM authorisation): the instance's role, "
            "the named profile or botocore",
            r"credential|profile|botocore|token file|AssumeRole|SigV4",
        ),
        part(
            "the TLS tunnel of a mount cannot be made: its certificate, its key or stunnel",
            place=r"stunnel",
            words=r"certificate|stunnel|\bkey\b|openssl|efs-proxy|\btls\b|\bCSR\b",
        ),
        part(
            "the mount target of the file system is not found or not reached: none in the node's "
            "zone, its DNS name or the security group (port 2049)",
            r"mount target|resolv|DNS|connect|timed? ?out|fallback|\bIP address",
        ),
        part(
            "its logs cannot be sent to CloudWatch Logs",
            r"log (?:group|stream)|CloudWatch",
        ),
        part(
            "its configuration (efs-utils.conf) or an option of the mount is not valid",
            r"config|option|json|specified|fs-id|access ?point",
        ),
        part("a file system cannot be mounted", r"mount"),
    ),
)

FLUENT_BIT: Final = Writer(
    "Fluent Bit",
    re.compile(
        r"\[\d{4}/\d\d/\d\d \d\d:\d\d:\d\d[.\d]*\] \[ ?error\] "
        r"\[(?P<place>[\w./:-]{2,80})[^\]\n]{0,20}\] (?P<message>\S[^\n]*)"
    ),
    (
        part(
            "it gets no credentials of AWS, or they are refused: the role of the node or of its "
            "service account",
            r"credential|\bSTS\b|AssumeRole|AccessDenied|not authorized|ExpiredToken|"
            r"UnrecognizedClient|InvalidSignature",
            r"^aws_credentials|^signv4|^oauth2",
        ),
        part(
            "it cannot ask the Kubernetes API for the names and labels of pods",
            r"kube ?api|api server|kubelet (?:upstream|connection)|serviceaccount",
            r"^filter:kubernetes",
        ),
        part(
            "the connection to where it sends logs is not made, is lost or has no valid "
            "certificate",
            r"connection|connect |\bTLS\b|handshake|getaddrinfo|resolve|timed? ?out|broken",
            r"^upstream|^tls|^http_client|^net$|^io|^aws_client|\b(?:openssl|flb_io|flb_network)\b",
        ),
        part(
            "it cannot keep logs until they are sent: its buffer (storage) is full or damaged",
            r"chunk (?:validation|header)|storage|mem(?:ory)? buf|no space",
            r"^storage|^cio|^fstore|^input chunk|^input_chunk",
        ),
        part(
            "the service that gets its logs does not take them, or gives no answer that it can "
            "read",
            r"failed to (?:send|flush|create)|could not (?:send|flush|create)|HTTP[_ ]status|"
            r"API responded|exceeded|throttl",
            r"^output:",
        ),
        part(
            "it cannot read the logs of the node: their files, the journal or its place in them",
            r"inotify|\binode\b|\bjournal|\bfiles?\b|read error|database|sqlite",
            r"^input:|^sqldb|^in_\w+|^parser|^multiline|^filter:",
        ),
        part(
            "its configuration is not valid",
            r"config|section|propert|plugin|parser",
            r"^config|^engine|^lib|^service|^router|^sp$|^custom",
        ),
    ),
)

WRITERS: Final = (SSM, POD_IDENTITY, EFS, FLUENT_BIT)
