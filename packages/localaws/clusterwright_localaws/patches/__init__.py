"""moto's bugs, one file each: what it does, what it should do, and for which version.

Every module has `MOTO_VERSION` (the version it was found in), `CURES` (a sentence for the
documentation) and `apply()`, which is called once, before the service is used.
"""

from __future__ import annotations

import importlib
import threading

# boto3's name of the service -> modules of this package, in the order of applying.
PATCHES: dict[str, tuple[str, ...]] = {
    "amp": ("amp_no_logging", "amp_takes_time", "amp_keys"),
    "budgets": ("budgets_tags",),
    "cloudwatch": ("cloudwatch_dashboard_tags",),
    "ec2": (
        "ec2_addresses",
        "ec2_dependencies",
        "ec2_managed_interfaces",
        "ec2_local_zones",
        "ec2_subnet_zones",
        "ec2_offerings_by_region",
        "ec2_instance_types",
        "ec2_block_devices",
        "ec2_vcpu_limits",
        "ec2_launches",
        "ec2_interfaces_end",
        "ec2_cpu_options",
        "ec2_parallelcluster_images",
        "ec2_published_images",
        "ec2_images_once",
        "ec2_gateways_take_time",
        "ec2_network_limits",
        "ec2_spot_requests",
        "ec2_groups_of_vpcs",
        "ec2_more_limits",
    ),
    "iam": ("iam_managed_policies", "iam_policies_once", "iam_policy_limits"),
    "kms": ("kms_pending_deletion", "kms_limits"),
    "lambda": ("lambda_not_run",),
    "rds": ("rds_takes_time", "rds_subnet_groups", "rds_limits"),
    "s3": ("s3_access_logs", "s3_directory_buckets", "s3_policy_conditions", "s3_limits"),
    "sqs": ("sqs_policy_stays",),
    "ssm": ("ssm_public_parameters",),
    "secretsmanager": ("secretsmanager_rotation",),
}

_lock = threading.Lock()
_applied: set[str] = set()


def apply(service: str) -> None:
    """Mend what is broken in moto's `service`; each bug once."""
    with _lock:
        for name in PATCHES.get(service, ()):
            if name not in _applied:
                importlib.import_module(f"{__name__}.{name}").apply()
                _applied.add(name)
