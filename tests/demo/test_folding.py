"""The transcript omits progress lines and counts them."""

from __future__ import annotations

from demo.folding import Excerpt, Folding

_OUTPUT = """\


✨  Synthesis time: 3.69s

dev-network: start: Building dev-network Template
dev-network: success: Published dev-network Template (111122223333-us-east-1-cccd8131)
dev-network
dev-network: creating CloudFormation changeset...
dev-network: deploying... [2/6]
dev-network |  0/41 | 12:20:39 AM | REVIEW_IN_PROGRESS      | AWS::CloudFormation::Stack | dev
dev-network |  1/41 | 12:20:39 AM | CREATE_COMPLETE         | AWS::EC2::VPC | Network
dev-network |  1/41 | 12:20:39 AM | UPDATE_ROLLBACK_IN_PROGRESS | AWS::EC2::VPC | Network
dev-network |  1/41 | 12:20:40 AM | CREATE_FAILED           | AWS::EC2::Subnet | Nodes The CIDR

✅  dev-network

✨  Deployment time: 2.39s

Outputs:
dev-network.ExportsOutputFnGetAttGroupsLustreBCF13715GroupId656D7F3B = sg-81ce40cdde3405790
Stack ARN:
arn:aws:cloudformation:us-east-1:111122223333:stack/dev-network/671ac57b


✅  dev-cluster

Outputs:
dev-cluster.ClusterName = dev
dev-cluster.ExportsOutputRefScripts278D36FFA3FDFBCA = sagemaker-dev-885c9a1d
"""

_SHOWN = """\
✨  Synthesis time: 3.69s

dev-network
dev-network |  1/41 | 12:20:40 AM | CREATE_FAILED           | AWS::EC2::Subnet | Nodes The CIDR

✅  dev-network

✨  Deployment time: 2.39s

✅  dev-cluster

Outputs:
dev-cluster.ClusterName = dev
"""


def test_progress_is_counted_and_failures_and_outputs_are_shown() -> None:
    folding = Folding()
    assert "".join(folding.shown(line) for line in _OUTPUT.splitlines(keepends=True)) == _SHOWN
    assert folding.left_out == 11


def test_differences_are_shown_without_progress_lines() -> None:
    folding = Folding()
    lines = [
        "start: Building dev-cluster Template\n",
        "success: Published dev-cluster Template (111122223333-us-east-1-5415825e)\n",
        "Hold on while we create a read-only change set to get a diff with accurate\n",
        "Stack dev-cluster (aws://111122223333/us-east-1)\n",
        "[~] AWS::SageMaker::Cluster Cluster Cluster\n",
    ]
    assert [folding.shown(line) for line in lines] == ["", "", "", *lines[3:]]


def test_line_after_a_header_without_outputs_is_shown() -> None:
    folding = Folding()
    lines = ["Outputs:\n", "b.ExportsOutputRefX = 1\n", "NOTICES\n", "\n", "\n", "end\n"]
    assert "".join(folding.shown(line) for line in lines) == "NOTICES\n\nend\n"


def excerpt(lines: int, *kept: str) -> tuple[str, int]:
    found = Excerpt(kept)
    text = "".join(found.shown(f"{number}\n") for number in range(1, lines + 1))
    return text + found.rest(), found.left_out


def test_short_outputs_are_complete() -> None:
    text, left_out = excerpt(12)
    assert text.split() == [str(number) for number in range(1, 13)]
    assert left_out == 0


def test_the_middle_of_a_long_output_is_left_out() -> None:
    text, left_out = excerpt(20)
    assert text.split() == [*"123456", "...", *(str(number) for number in range(15, 21))]
    assert left_out == 8


def test_a_line_that_matters_is_shown() -> None:
    text, left_out = excerpt(30, "12", "13")
    assert text.split()[6:10] == ["...", "12", "13", "..."]
    assert left_out == 16


def test_omitted_progress_does_not_count() -> None:
    found = Excerpt()
    assert "".join(found.shown("") for _ in range(50)) + found.rest() == ""
    assert found.left_out == 0
