r"""The forms that text values have: a pattern, the words a message uses for it, and an example.

Patterns use `[0-9]`, never `\d`: pydantic's engine takes digits of every script for `\d`.
"""

from __future__ import annotations

from typing import NamedTuple


class Form(NamedTuple):
    """A form of text. `words` completes the sentence "... is not <words>"."""

    pattern: str
    words: str
    example: str


_SEGMENT = r"\.?[A-Za-z0-9_-][A-Za-z0-9._-]*"
_HOST = r"[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?"

ACCOUNT = Form(r"^[0-9]{12}$", "an account id of 12 digits", "111122223333")
ENVIRONMENT = Form(
    r"^[a-z0-9](-?[a-z0-9])*$", "a name of small letters, digits and single hyphens", "dev"
)
REGION = Form(r"^[a-z]{2}(-[a-z]+)+-[0-9]$", "a region, such as us-east-1", "us-east-1")
ZONE = Form(
    r"^[a-z0-9]+(-[a-z0-9]+)+$",
    "a zone id, such as use1-az6 (names differ per account)",
    "use1-az6",
)
NAME = Form(
    r"^[a-zA-Z0-9](-*[a-zA-Z0-9])*$",
    "a name of letters, digits and hyphens that begins and ends with a letter or digit",
    "workers",
)
"""SageMaker's ClusterName and ClusterPartitionName (botocore 1.44.5)."""

INSTANCE_TYPE = Form(
    r"^[a-z0-9][a-z0-9-]*\.[a-z0-9.-]+$", "an instance type, such as p5.48xlarge", "p5.48xlarge"
)
UNIX_NAME = Form(
    r"^[a-z_][a-z0-9_-]{0,31}$",
    "a Unix name: small letters, digits, `_` and `-`, at most 32, beginning with a letter or `_`",
    "ada",
)
SLURM_ACCOUNT = Form(
    r"^[a-z0-9][a-z0-9_-]{0,31}$",
    "a Slurm account: small letters, digits, `_` and `-`",
    "research",
)
ABSOLUTE_PATH = Form(
    rf"^(/{_SEGMENT})+$",
    "an absolute path of letters, digits, `.`, `_` and `-`, such as /fsx/data",
    "/fsx",
)
"""Narrower than SageMaker's ClusterFsxMountPath: no `..`, no empty parts."""

KUBERNETES_KEY = Form(
    r"^([a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*/)?"
    r"[A-Za-z0-9]([A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?$",
    "a key of Kubernetes: at most 63 letters, digits, `.`, `_` and `-`, after a domain and `/` "
    "if one is wanted",
    "team.example.com/model",
)
"""SageMaker's ClusterKubernetesLabelKey (botocore 1.44.5); a name has 63 letters at most."""

KUBERNETES_VALUE = Form(
    r"^[A-Za-z0-9]([A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?$",
    "a value of Kubernetes: 1 to 63 letters, digits, `.`, `_` and `-`, first and last no sign",
    "seven-b",
)
"""SageMaker's ClusterKubernetesLabelValue (botocore 1.44.5): never empty."""

MIG_PROFILE = Form(
    r"^(all-[0-9]g\.[0-9]{1,3}gb|mixed(-[0-9]-[0-9]g\.[0-9]{1,3}gb)+)$",
    "a layout of partitions, such as all-1g.10gb or mixed-1-3g.40gb-1-4g.40gb",
    "all-1g.10gb",
)
PRIORITY_CLASS = Form(
    r"^[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?$",
    "a priority class: small letters, digits and hyphens, at most 40",
    "training",
)

REPOSITORY_FILE = Form(
    rf"^/?{_SEGMENT}(/{_SEGMENT})*$",
    "a path of letters, digits, `.`, `_` and `-` from the root of the repository",
    "site/steps/quotas.py",
)

FILE_SYSTEM_PATH = Form(
    rf"^(/|(/{_SEGMENT})+)$", "a path inside the file system, such as /data", "/data"
)
CIDR = Form(
    r"^[0-9]{1,3}(\.[0-9]{1,3}){3}/[0-9]{1,2}$",
    "an address range, such as 10.0.0.0/16",
    "10.0.0.0/16",
)
EMAIL = Form(r"^[^@\s]+@[^@\s]+\.[^@\s]+$", "an e-mail address", "ml-infrastructure@acme.example")
S3_URI = Form(
    r"^s3://[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](/[^\s]*)?$",
    "the address of a bucket, such as s3://acme-corpus/tokens",
    "s3://acme-corpus/tokens",
)
BUCKET = Form(
    r"^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$",
    "a bucket's name: 3 to 63 small letters, digits, hyphens and dots, without s3://",
    "acme-corpus",
)
VPC_ID = Form(r"^vpc-[0-9a-f]{8,17}$", "the id of a VPC (vpc-...)", "vpc-0a1b2c3d4e5f60718")
SUBNET_ID = Form(
    r"^subnet-[0-9a-f]{8,17}$", "the id of a subnet (subnet-...)", "subnet-0a1b2c3d4e5f60718"
)
SECURITY_GROUP_ID = Form(
    r"^sg-[0-9a-f]{8,17}$", "the id of a security group (sg-...)", "sg-0a1b2c3d4e5f60718"
)
RESERVATION_ID = Form(
    r"^cr-[0-9a-f]{8,17}$",
    "the id of a capacity reservation or block (cr-...)",
    "cr-0a1b2c3d4e5f60718",
)
FILE_SYSTEM_ID = Form(
    r"^fs-[0-9a-f]{8,17}$", "the id of a file system (fs-...)", "fs-0a1b2c3d4e5f60718"
)
VOLUME_ID = Form(
    r"^fsvol-[0-9a-f]{17}$", "the id of an FSx volume (fsvol-...)", "fsvol-0a1b2c3d4e5f60718"
)
FILE_SYSTEM_DNS = Form(
    r"^(fs|fc)i?-[0-9a-f]{8,}\.[A-Za-z0-9.-]{4,253}$",
    "a file system's DNS name (fs-....fsx.<region>.amazonaws.com)",
    "fs-0a1b2c3d4e5f60718.fsx.us-east-1.amazonaws.com",
)
"""SageMaker's ClusterDnsName and FSx's DNSName (botocore 1.44.5), less what no host name has."""

LUSTRE_MOUNT_NAME = Form(
    r"^[A-Za-z0-9_-]{1,8}$", "a mount name of at most 8 letters, digits, `_` and `-`", "abcdefgh"
)
"""FSx's LustreFileSystemMountName (botocore 1.44.5)."""

WEEKLY_TIME = Form(
    r"^[1-7]:([01][0-9]|2[0-3]):[0-5][0-9]$",
    "a weekly time, day:hour:minute with Monday as 1, such as 7:03:00",
    "7:03:00",
)
DATABASE_HOST = Form(rf"^{_HOST}(\.{_HOST})*$", "a host name", "slurm.example.internal")
DATABASE_NAME = Form(
    r"^[A-Za-z][A-Za-z0-9_]{0,63}$", "a database name of letters, digits and `_`", "slurm_acct_db"
)
DATABASE_USER = Form(
    r"^[A-Za-z][A-Za-z0-9_]{0,31}$",
    "a database user: at most 32 letters, digits and `_`",
    "slurm",
)
DATABASE_CLASS = Form(
    r"^db\.[a-z0-9-]+\.[a-z0-9]+$", "an RDS instance class, such as db.t3.large", "db.t3.large"
)
SECRET_ARN = Form(
    r"^arn:aws[a-z-]*:secretsmanager:[a-z0-9-]+:[0-9]{12}:secret:[A-Za-z0-9/_+=.@-]+$",
    "the ARN of a secret (arn:aws:secretsmanager:...)",
    "arn:aws:secretsmanager:us-east-1:111122223333:secret:slurm-AbCdEf",
)
SUBNET_IDS = Form(
    r"^subnet-[0-9a-f]{8,17}(,subnet-[0-9a-f]{8,17})*$",
    "ids of subnets with commas between them",
    "subnet-0a1b2c3d4e5f60718",
)
SECURITY_GROUP_IDS = Form(
    r"^sg-[0-9a-f]{8,17}(,sg-[0-9a-f]{8,17})*$",
    "ids of security groups with commas between them",
    "sg-0a1b2c3d4e5f60718",
)
INSTANCE_PROFILE = Form(
    r"^[A-Za-z0-9+=,.@_-]{1,128}$", "the name of an instance profile", "prod-karpenter-NodeProfile"
)
PLACEMENT_GROUPS = Form(
    r'^\{("[^"]{1,63}":"[^"]{1,255}")(,"[^"]{1,63}":"[^"]{1,255}")*\}$',
    "a JSON object of placement groups by group",
    '{"workers":"prod-cluster-Placement"}',
)
KMS_KEY_ARN = Form(
    r"^arn:aws[a-z-]*:kms:[a-z0-9-]+:[0-9]{12}:key/[A-Za-z0-9-]+$",
    "the ARN of a KMS key (arn:aws:kms:...:key/...)",
    "arn:aws:kms:us-east-1:111122223333:key/1234abcd-12ab-34cd-56ef-1234567890ab",
)
POLICY_ARN = Form(
    r"^arn:aws[a-z-]*:iam::([0-9]{12}|aws):policy/[A-Za-z0-9+=,.@_/-]+$",
    "the ARN of an IAM policy (arn:aws:iam::...:policy/...)",
    "arn:aws:iam::111122223333:policy/boundary",
)
TRAINING_PLAN_ARN = Form(
    r"^arn:aws[a-z-]*:sagemaker:[a-z0-9-]+:[0-9]{12}:training-plan/[a-z0-9-]{1,64}$",
    "the ARN of a training plan (arn:aws:sagemaker:...:training-plan/...)",
    "arn:aws:sagemaker:us-east-1:111122223333:training-plan/plan",
)
SSH_PUBLIC_KEY = Form(
    r"^(ssh-[a-z0-9-]+|ecdsa-sha2-[a-z0-9-]+|sk-[a-z0-9@.-]+) [A-Za-z0-9+/]+={0,3}( [^\r\n]*)?$",
    "one line of an OpenSSH public key",
    "ssh-ed25519 AAAA... ada@acme.example",
)
IMAGE_RELEASE = Form(
    r"^[0-9]{1,3}\.[0-9]{1,3}\.[0-9]{1,3}$", "an image release, major.minor.patch", "1.0.0"
)
IMAGE_ID = Form(r"^ami-[0-9a-f]{8,17}$", "the id of an image (ami-...)", "ami-0a1b2c3d4e5f60718")
DRIVER = Form(
    r"^[0-9]{3}(\.[0-9]{1,4}){1,3}$", "a driver's version, such as 595.91.07", "595.91.07"
)
KEY_NAME = Form(
    r"^[A-Za-z0-9][A-Za-z0-9 ._@+=,:/-]{0,254}$",
    "the name of an EC2 key pair: at most 255 letters, digits and signs",
    "ml-infrastructure",
)
CUDA = Form(r"^[0-9]{1,2}\.[0-9]{1,2}$", "a version of CUDA, such as 12.8", "12.8")
NAMESPACE = Form(
    r"^[a-z0-9]([a-z0-9-]*[a-z0-9])?$",
    "a namespace of Kubernetes: at most 63 small letters, digits and hyphens",
    "training",
)
SERVICE_ACCOUNT = Form(
    r"^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$",
    "a service account: small letters, digits, hyphens and dots",
    "data-loader",
)
KUBERNETES_GROUP = Form(
    r"^[A-Za-z0-9]([A-Za-z0-9:._-]*[A-Za-z0-9])?$",
    "a group of Kubernetes: letters, digits, `:`, `.`, `_` and `-`",
    "researchers",
)
ADDON_VERSION = Form(
    r"^v[0-9]{1,3}\.[0-9]{1,3}\.[0-9]{1,3}-eksbuild\.[0-9]{1,4}$",
    "an add-on's version as EKS writes it, such as v1.2.3-eksbuild.1",
    "v1.2.3-eksbuild.1",
)
ROLE_ARN = Form(
    r"^arn:aws[a-z-]*:iam::[0-9]{12}:role/[A-Za-z0-9+=,.@_/-]+$",
    "the ARN of an IAM role (arn:aws:iam::...:role/...)",
    "arn:aws:iam::111122223333:role/researchers",
)
PRINCIPAL_ARN = Form(
    r"^arn:aws[a-z-]*:iam::[0-9]{12}:(role|user)/[A-Za-z0-9+=,.@_/-]+$",
    "the ARN of an IAM role or user (arn:aws:iam::...:role/...)",
    "arn:aws:iam::111122223333:role/researchers",
)
KUBERNETES_VERSION = Form(
    r"^1\.[0-9]{2}$", 'a version of Kubernetes in quotes, such as "1.34"', "1.34"
)
PARALLELCLUSTER_VERSION = Form(
    r"^3\.[0-9]{1,2}\.[0-9]{1,2}$", "a release of ParallelCluster, such as 3.16.1", "3.16.1"
)
TENANT = Form(
    r"^[a-z](-?[a-z0-9])*$",
    "a team's name: small letters, digits and single hyphens, beginning with a letter",
    "pretraining",
)
OBJECT_NAME = Form(
    r"^[a-z]([a-z0-9-]*[a-z0-9])?$",
    "a name of small letters, digits and hyphens that begins with a letter",
    "nccl",
)
CHART_VERSION = Form(
    r"^v?[0-9]{1,4}\.[0-9]{1,4}\.[0-9]{1,4}(-[0-9A-Za-z.-]{1,40})?$",
    "the version of a chart, such as 0.12.3",
    "0.12.3",
)
SHA256 = Form(r"^[0-9a-f]{64}$", "a SHA-256 sum of 64 small hexadecimal digits", "0" * 64)
VALUE_PATH = Form(
    r"^[A-Za-z][A-Za-z0-9_-]*(\.[A-Za-z][A-Za-z0-9_-]*)*$",
    "the path of a chart's value, such as controllerManager.replicas",
    "controllerManager.replicas",
)
IMAGE_DIGEST = Form(
    r"^[a-z0-9][a-z0-9.:_/-]{0,250}@sha256:[0-9a-f]{64}$",
    "an image by its digest, without a tag: registry/name@sha256:...",
    "111122223333.dkr.ecr.us-east-1.amazonaws.com/training@sha256:" + "0" * 64,
)
GIT_REPOSITORY = Form(
    r"^https://[A-Za-z0-9.-]+(:[0-9]{1,5})?/[A-Za-z0-9._~/-]+$",
    "the address of a Git repository (https://...), without a user",
    "https://github.com/acme/clusters.git",
)
GIT_REVISION = Form(r"^[A-Za-z0-9][A-Za-z0-9._/-]*$", "a branch, a tag or a commit", "main")
IDENTITY_CENTER_ARN = Form(
    r"^arn:aws[a-z-]*:sso:::instance/(sso)?ins-[A-Za-z0-9.-]{16}$",
    "the ARN of an instance of IAM Identity Center (arn:aws:sso:::instance/...)",
    "arn:aws:sso:::instance/ssoins-1234567890abcdef",
)
"""sso-admin's InstanceArn (botocore 1.44.5)."""

IDENTITY_CENTER_ID = Form(
    r"^([0-9a-f]{10}-)?[A-Fa-f0-9]{8}-[A-Fa-f0-9]{4}-[A-Fa-f0-9]{4}-[A-Fa-f0-9]{4}-[A-Fa-f0-9]{12}$",
    "the id of a group in IAM Identity Center",
    "9067642ac7-3f3c7f5e-0000-4000-8000-3f3c7f5e0001",
)
"""identitystore's ResourceId (botocore 1.44.5)."""

RULE = Form(r"^CW-[A-Z][0-9]{3}$", "a rule's id, such as CW-N003", "CW-N003")
RESOURCE = Form(
    r"^([A-Za-z0-9][A-Za-z0-9-]*/[A-Za-z0-9]+|compute\[[A-Za-z0-9-]+\])$",
    "a stack and a logical id, such as prod-storage/HomeFileSystem, or a group, compute[workers]",
    "prod-storage/HomeFileSystem776A06C2",
)
TAG = Form(
    r"^[\p{L}\p{Z}\p{N}_.:/=+\-@]*$",
    "a tag of letters, digits, spaces and _ . : / = + - @",
    "ml-infrastructure",
)
"""SageMaker's TagKey and TagValue (botocore 1.44.5)."""

ALL: tuple[Form, ...] = tuple(value for value in globals().values() if isinstance(value, Form))
WORDS: dict[str, str] = {form.pattern: form.words for form in ALL}
