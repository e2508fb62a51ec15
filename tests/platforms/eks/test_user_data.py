"""User data, read as a MIME archive."""

from __future__ import annotations

from email import message_from_string

from clusterwright.platforms.eks.user_data import NODE_CONFIG, SHELL_SCRIPT, user_data
from clusterwright.platforms.kubernetes import kubelet_wait


def test_an_archive_has_its_parts_in_their_order() -> None:
    script = kubelet_wait.script()
    text = user_data([(NODE_CONFIG, '{"kind": "NodeConfig"}'), (SHELL_SCRIPT, script)])
    assert text is not None
    archive = message_from_string(text)
    assert archive.get_content_type() == "multipart/mixed"
    parts = [one for one in archive.walk() if not one.is_multipart()]
    assert [(one.get_content_type(), one.get_payload()) for one in parts] == [
        ("application/node.eks.aws", '{"kind": "NodeConfig"}'),
        ("text/x-shellscript", script),
    ]
    # Of EC2's 16 KiB, which EKS's own part shares.
    assert len(text.encode("ascii")) < 8192


def test_no_parts_are_no_user_data() -> None:
    assert user_data([]) is None
