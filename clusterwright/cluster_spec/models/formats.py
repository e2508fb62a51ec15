r"""Formats of text values: a pattern, its description in messages, and an example.

Patterns use `[0-9]`, never `\d`: in pydantic's engine `\d` matches the digits of every script.
"""

from __future__ import annotations

from typing import NamedTuple


class Format(NamedTuple):
    """A text format. `description` completes the sentence "expected <description>"."""

    pattern: str
    description: str
    example: str


_SEGMENT = r"\.?[A-Za-z0-9_-][A-Za-z0-9._-]*"
_HOST = r"[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?"

ACCOUNT = Format(r"^[0-9]{12}$", "an account id of 12 digits", "111122223333")
ENVIRONMENT = Format(
    r"^[a-z0-9](-?[a-z0-9])*$", "a name of lowercase letters, digits and single hyphens", "dev"
)
REGION = Format(r"^[a-z]{2}(-[a-z]+)+-[0-9]$", "a region, such as us-east-1", "us-east-1")
ZONE = Format(
    r"^[a-z0-9]+(-[a-z0-9]+)+$",
    "a zone id, such as use1-az6 (names differ per account)",
    "use1-az6",
)
NAME = Format(
    r"^[a-zA-Z0-9](-*[a-zA-Z0-9])*$",
    "a name of letters, digits and hyphens that begins and ends with a letter or digit",
    "workers",
)
"""SageMaker's ClusterName and ClusterPartitionName (botocore 1.44.5)."""

INSTANCE_TYPE = Format(
    r"^[a-z0-9][a-z0-9-]*\.[a-z0-9.-]+$", "an instance type, such as p5.48xlarge", "p5.48xlarge"
)
UNIX_NAME = Format(
    r"^[a-z_][a-z0-9_-]{0,31}$",
    "a Unix name: at most 32 lowercase letters, digits, `_` and `-`, beginning with a letter or "
    "`_`",
    "ada",
)
SLURM_ACCOUNT = Format(
    r"^[a-z0-9][a-z0-9_-]{0,31}$",
    "a Slurm account: lowercase letters, digits, `_` and `-`",
    "research",
)
ABSOLUTE_PATH = Format(
    rf"^(/{_SEGMENT})+$",
    "an absolute path of letters, digits, `.`, `_` and `-`, such as /fsx/data",
    "/fsx",
)
"""Stricter than SageMaker's ClusterFsxMountPath: no `..`, no empty segments."""

KUBERNETES_KEY = Format(
    r"^([a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*/)?"
    r"[A-Za-z0-9]([A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?$",
    "a Kubernetes label key: at most 63 letters, digits, `.`, `_` and `-`, optionally after a "
    "domain and `/`",
    "team.example.com/model",
)
"""SageMaker's ClusterKubernetesLabelKey (botocore 1.44.5); a name has at most 63 characters."""

KUBERNETES_VALUE = Format(
    r"^[A-Za-z0-9]([A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?$",
    "a Kubernetes label value: 1 to 63 letters, digits, `.`, `_` and `-`, beginning and ending "
    "with a letter or digit",
    "seven-b",
)
"""SageMaker's ClusterKubernetesLabelValue (botocore 1.44.5): never empty."""

MIG_PROFILE = Format(
    r"^(all-[0-9]g\.[0-9]{1,3}gb|mixed(-[0-9]-[0-9]g\.[0-9]{1,3}gb)+)$",
    "a MIG profile, such as all-1g.10gb or mixed-1-3g.40gb-1-4g.40gb",
    "all-1g.10gb",
)
PRIORITY_CLASS = Format(
    r"^[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?$",
    "a priority class: at most 40 lowercase letters, digits and hyphens",
    "training",
)

REPOSITORY_FILE = Format(
    rf"^/?{_SEGMENT}(/{_SEGMENT})*$",
    "a path of letters, digits, `.`, `_` and `-` from the root of the repository",
    "site/steps/quotas.py",
)

FILE_SYSTEM_PATH = Format(
    rf"^(/|(/{_SEGMENT})+)$", "a path inside the file system, such as /data", "/data"
)
CIDR = Format(
    r"^[0-9]{1,3}(\.[0-9]{1,3}){3}/[0-9]{1,2}$",
    "a CIDR range, such as 10.0.0.0/16",
    "10.0.0.0/16",
)
EMAIL = Format(
    r"^[^@\s]+@[^@\s]+\.[^@\s]+$", "an e-mail address", "ml-infrastructure@acme.example"
)
S3_URI = Format(
    r"^s3://[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](/[^\s]*)?$",
    "an S3 URI, such as s3://acme-corpus/tokens",
    "s3://acme-corpus/tokens",
)
BUCKET = Format(
    r"^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$",
    "a bucket name: 3 to 63 lowercase letters, digits, hyphens and dots, without s3://",
    "acme-corpus",
)
IMAGE_REPOSITORY = Format(
    r"^([a-z0-9]+((\.|_|__|-+)[a-z0-9]+)*/)*[a-z0-9]+((\.|_|__|-+)[a-z0-9]+)*$",
    "a name of a repository in Amazon ECR: lowercase letters, digits, . _ - and / between them",
    "training",
)
VPC_ID = Format(r"^vpc-[0-9a-f]{8,17}$", "a VPC id (vpc-...)", "vpc-0a1b2c3d4e5f60718")
SUBNET_ID = Format(
    r"^subnet-[0-9a-f]{8,17}$", "a subnet id (subnet-...)", "subnet-0a1b2c3d4e5f60718"
)
SECURITY_GROUP_ID = Format(
    r"^sg-[0-9a-f]{8,17}$", "a security group id (sg-...)", "sg-0a1b2c3d4e5f60718"
)
RESERVATION_ID = Format(
    r"^cr-[0-9a-f]{8,17}$",
    "the id of a capacity reservation or Capacity Block (cr-...)",
    "cr-0a1b2c3d4e5f60718",
)
FILE_SYSTEM_ID = Format(
    r"^fs-[0-9a-f]{8,17}$", "a file system id (fs-...)", "fs-0a1b2c3d4e5f60718"
)
VOLUME_ID = Format(
    r"^fsvol-[0-9a-f]{17}$", "an FSx volume id (fsvol-...)", "fsvol-0a1b2c3d4e5f60718"
)
FILE_SYSTEM_DNS = Format(
    r"^(fs|fc)i?-[0-9a-f]{8,}\.[A-Za-z0-9.-]{4,253}$",
    "a file system DNS name (fs-....fsx.<region>.amazonaws.com)",
    "fs-0a1b2c3d4e5f60718.fsx.us-east-1.amazonaws.com",
)
"""SageMaker's ClusterDnsName and FSx's DNSName (botocore 1.44.5), without characters that host
names do not have."""

LUSTRE_MOUNT_NAME = Format(
    r"^[A-Za-z0-9_-]{1,8}$", "a mount name of at most 8 letters, digits, `_` and `-`", "abcdefgh"
)
"""FSx's LustreFileSystemMountName (botocore 1.44.5)."""

WEEKLY_TIME = Format(
    r"^[1-7]:([01][0-9]|2[0-3]):[0-5][0-9]$",
    "a weekly time, day:hour:minute with Monday as 1, such as 7:03:00",
    "7:03:00",
)
DATABASE_HOST = Format(rf"^{_HOST}(\.{_HOST})*$", "a host name", "slurm.example.internal")
DATABASE_NAME = Format(
    r"^[A-Za-z][A-Za-z0-9_]{0,63}$", "a database name of letters, digits and `_`", "slurm_acct_db"
)
DATABASE_USER = Format(
    r"^[A-Za-z][A-Za-z0-9_]{0,31}$",
    "a database user name: at most 32 letters, digits and `_`",
    "slurm",
)
DATABASE_CLASS = Format(
    r"^db\.[a-z0-9-]+\.[a-z0-9]+$", "an RDS instance class, such as db.t3.large", "db.t3.large"
)
SECRET_ARN = Format(
    r"^arn:aws[a-z-]*:secretsmanager:[a-z0-9-]+:[0-9]{12}:secret:[A-Za-z0-9/_+=.@-]+$",
    "the ARN of a secret (arn:aws:secretsmanager:...)",
    "arn:aws:secretsmanager:us-east-1:111122223333:secret:slurm-AbCdEf",
)
SUBNET_IDS = Format(
    r"^subnet-[0-9a-f]{8,17}(,subnet-[0-9a-f]{8,17})*$",
    "subnet ids, separated by commas",
    "subnet-0a1b2c3d4e5f60718",
)
SECURITY_GROUP_IDS = Format(
    r"^sg-[0-9a-f]{8,17}(,sg-[0-9a-f]{8,17})*$",
    "security group ids, separated by commas",
    "sg-0a1b2c3d4e5f60718",
)
INSTANCE_PROFILE = Format(
    r"^[A-Za-z0-9+=,.@_-]{1,128}$", "an instance profile name", "prod-karpenter-NodeProfile"
)
PLACEMENT_GROUPS = Format(
    r'^\{("[^"]{1,63}":"[^"]{1,255}")(,"[^"]{1,63}":"[^"]{1,255}")*\}$',
    "a JSON object of placement groups by group",
    '{"workers":"prod-cluster-Placement"}',
)
KMS_KEY_ARN = Format(
    r"^arn:aws[a-z-]*:kms:[a-z0-9-]+:[0-9]{12}:key/[A-Za-z0-9-]+$",
    "the ARN of a KMS key (arn:aws:kms:...:key/...)",
    "arn:aws:kms:us-east-1:111122223333:key/1234abcd-12ab-34cd-56ef-1234567890ab",
)
POLICY_ARN = Format(
    r"^arn:aws[a-z-]*:iam::([0-9]{12}|aws):policy/[A-Za-z0-9+=,.@_/-]+$",
    "the ARN of an IAM policy (arn:aws:iam::...:policy/...)",
    "arn:aws:iam::111122223333:policy/boundary",
)
TRAINING_PLAN_ARN = Format(
    r"^arn:aws[a-z-]*:sagemaker:[a-z0-9-]+:[0-9]{12}:training-plan/[a-z0-9-]{1,64}$",
    "the ARN of a training plan (arn:aws:sagemaker:...:training-plan/...)",
    "arn:aws:sagemaker:us-east-1:111122223333:training-plan/plan",
)
SSH_PUBLIC_KEY = Format(
    r"^(ssh-[a-z0-9-]+|ecdsa-sha2-[a-z0-9-]+|sk-[a-z0-9@.-]+) [A-Za-z0-9+/]+={0,3}( [^\r\n]*)?$",
    "one line of an OpenSSH public key",
    "ssh-ed25519 AAAA... ada@acme.example",
)
IMAGE_RELEASE = Format(
    r"^[0-9]{1,3}\.[0-9]{1,3}\.[0-9]{1,3}$", "an image release (major.minor.patch)", "1.0.0"
)
IMAGE_ID = Format(r"^ami-[0-9a-f]{8,17}$", "an AMI id (ami-...)", "ami-0a1b2c3d4e5f60718")
DRIVER = Format(
    r"^[0-9]{3}(\.[0-9]{1,4}){1,3}$", "a driver version, such as 595.91.07", "595.91.07"
)
SOFTWARE_VERSION = Format(
    r"^[A-Za-z0-9][A-Za-z0-9._+~:-]{0,63}$",
    "a version of letters, digits and . _ + ~ : -, such as 2.27.5",
    "2.27.5",
)
KEY_NAME = Format(
    r"^[A-Za-z0-9][A-Za-z0-9 ._@+=,:/-]{0,254}$",
    "an EC2 key pair name: at most 255 letters, digits, spaces and . _ @ + = , : / -",
    "ml-infrastructure",
)
CUDA = Format(r"^[0-9]{1,2}\.[0-9]{1,2}$", "a CUDA version, such as 12.8", "12.8")
NAMESPACE = Format(
    r"^[a-z0-9]([a-z0-9-]*[a-z0-9])?$",
    "a Kubernetes namespace: at most 63 lowercase letters, digits and hyphens",
    "training",
)
SERVICE_ACCOUNT = Format(
    r"^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$",
    "a service account name: lowercase letters, digits, hyphens and dots",
    "data-loader",
)
KUBERNETES_GROUP = Format(
    r"^[A-Za-z0-9]([A-Za-z0-9:._-]*[A-Za-z0-9])?$",
    "a Kubernetes group: letters, digits, `:`, `.`, `_` and `-`",
    "researchers",
)
ADDON_VERSION = Format(
    r"^v[0-9]{1,3}\.[0-9]{1,3}\.[0-9]{1,3}-eksbuild\.[0-9]{1,4}$",
    "an EKS add-on version, such as v1.2.3-eksbuild.1",
    "v1.2.3-eksbuild.1",
)
ROLE_ARN = Format(
    r"^arn:aws[a-z-]*:iam::[0-9]{12}:role/[A-Za-z0-9+=,.@_/-]+$",
    "the ARN of an IAM role (arn:aws:iam::...:role/...)",
    "arn:aws:iam::111122223333:role/researchers",
)
PRINCIPAL_ARN = Format(
    r"^arn:aws[a-z-]*:iam::[0-9]{12}:(role|user)/[A-Za-z0-9+=,.@_/-]+$",
    "the ARN of an IAM role or user (arn:aws:iam::...:role/...)",
    "arn:aws:iam::111122223333:role/researchers",
)
KUBERNETES_VERSION = Format(
    r"^1\.[0-9]{2}$", 'a Kubernetes version in quotes, such as "1.34"', "1.34"
)
PARALLELCLUSTER_VERSION = Format(
    r"^3\.[0-9]{1,2}\.[0-9]{1,2}$", "a ParallelCluster version, such as 3.16.1", "3.16.1"
)
TENANT = Format(
    r"^[a-z](-?[a-z0-9])*$",
    "a tenant name: lowercase letters, digits and single hyphens, beginning with a letter",
    "pretraining",
)
OBJECT_NAME = Format(
    r"^[a-z]([a-z0-9-]*[a-z0-9])?$",
    "a name of lowercase letters, digits and hyphens that begins with a letter",
    "nccl",
)
CHART_VERSION = Format(
    r"^v?[0-9]{1,4}\.[0-9]{1,4}\.[0-9]{1,4}(-[0-9A-Za-z.-]{1,40})?$",
    "a chart version, such as 0.12.3",
    "0.12.3",
)
SHA256 = Format(
    r"^[0-9a-f]{64}$", "a SHA-256 checksum of 64 lowercase hexadecimal digits", "0" * 64
)
VALUE_PATH = Format(
    r"^[A-Za-z][A-Za-z0-9_-]*(\.[A-Za-z][A-Za-z0-9_-]*)*$",
    "the path of a chart value, such as controllerManager.replicas",
    "controllerManager.replicas",
)
IMAGE_DIGEST = Format(
    r"^[a-z0-9][a-z0-9.:_/-]{0,250}@sha256:[0-9a-f]{64}$",
    "an image reference with a digest and without a tag: registry/name@sha256:...",
    "111122223333.dkr.ecr.us-east-1.amazonaws.com/training@sha256:" + "0" * 64,
)
GIT_REPOSITORY = Format(
    r"^https://[A-Za-z0-9.-]+(:[0-9]{1,5})?/[A-Za-z0-9._~/-]+$",
    "the HTTPS URL of a Git repository, without a user name",
    "https://github.com/acme/clusters.git",
)
GIT_REVISION = Format(r"^[A-Za-z0-9][A-Za-z0-9._/-]*$", "a branch, a tag or a commit", "main")
IDENTITY_CENTER_ARN = Format(
    r"^arn:aws[a-z-]*:sso:::instance/(sso)?ins-[A-Za-z0-9.-]{16}$",
    "the ARN of an IAM Identity Center instance (arn:aws:sso:::instance/...)",
    "arn:aws:sso:::instance/ssoins-1234567890abcdef",
)
"""sso-admin's InstanceArn (botocore 1.44.5)."""

IDENTITY_CENTER_ID = Format(
    r"^([0-9a-f]{10}-)?[A-Fa-f0-9]{8}-[A-Fa-f0-9]{4}-[A-Fa-f0-9]{4}-[A-Fa-f0-9]{4}-[A-Fa-f0-9]{12}$",
    "the id of an IAM Identity Center group",
    "9067642ac7-3f3c7f5e-0000-4000-8000-3f3c7f5e0001",
)
"""identitystore's ResourceId (botocore 1.44.5)."""

RULE = Format(r"^CW-[A-Z][0-9]{3}$", "a rule id, such as CW-N003", "CW-N003")
RESOURCE = Format(
    r"^([A-Za-z0-9][A-Za-z0-9-]*/[A-Za-z0-9]+|compute\[[A-Za-z0-9-]+\]|protection)$",
    "a stack and a logical id, such as prod-storage/HomeFileSystem; a group, compute[workers]; or "
    "protection",
    "prod-storage/HomeFileSystem776A06C2",
)
TAG = Format(
    r"^[\p{L}\p{Z}\p{N}_.:/=+\-@]*$",
    "a tag key or value: letters, digits, spaces and _ . : / = + - @",
    "ml-infrastructure",
)
"""SageMaker's TagKey and TagValue (botocore 1.44.5)."""
ONE_LINE = Format(r"^[^\r\n]+$", "text without line breaks", "CR_CPU_Memory")

ALL: tuple[Format, ...] = tuple(value for value in globals().values() if isinstance(value, Format))
DESCRIPTIONS: dict[str, str] = {each.pattern: each.description for each in ALL}
