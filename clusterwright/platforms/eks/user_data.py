"""User data of EKS nodes: a MIME archive of parts for nodeadm and for cloud-init.

Sources: EKS user guide, "Customize managed nodes with launch templates" (managed node groups merge
such an archive with EKS's own); awslabs/amazon-eks-ami, 81fec2e,
nodeadm/test/e2e/cases/mime-userdata-merge; aws/karpenter-provider-aws,
pkg/providers/amifamily/bootstrap/nodeadm.go (merges it, too).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

NODE_CONFIG: Final = "application/node.eks.aws"
"""Type of a part that nodeadm reads."""
SHELL_SCRIPT: Final = 'text/x-shellscript; charset="us-ascii"'
"""Type of a part that cloud-init runs once for an instance, before nodeadm starts the kubelet."""

_BOUNDARY = "clusterwright"


def user_data(parts: Sequence[tuple[str, str]]) -> str | None:
    """Return the archive of parts, each a type and a text; None without parts."""
    if not parts:
        return None
    lines = [
        "MIME-Version: 1.0",
        f'Content-Type: multipart/mixed; boundary="{_BOUNDARY}"',
        "",
    ]
    for content_type, text in parts:
        lines += [f"--{_BOUNDARY}", f"Content-Type: {content_type}", "", text]
    return "\n".join([*lines, f"--{_BOUNDARY}--", ""])
