"""Invalid input of every kind.

a message with a position, exit 3, nothing written, no traceback.
"""

from __future__ import annotations

import json
import re
import time
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from tests.support.command_line import clusterwright, nothing_written

GOOD = """\
environment: test
account: "111122223333"
region: us-east-1
platform: hyperpod-slurm
network:
  cidr: 10.0.0.0/16
  availability_zone_id: use1-az6
compute:
  - {name: controller, role: controller, instance_type: m5.4xlarge, count: 1}
  - name: workers
    role: compute
    instance_type: p5.48xlarge
    count: 4
"""


def changed(old: str, new: str) -> str:
    assert old in GOOD
    return GOOD.replace(old, new)


TEXTS = {
    "wrong-yaml": changed("region: us-east-1", "region: [us-east-1"),
    "colon-in-value": changed("environment: test", "environment: a: b"),
    "bad-indent": changed("  cidr", "   cidr"),
    "tab": changed("  cidr", "\tcidr"),
    "empty": "",
    "only-comments": "# nothing yet\n\n",
    "only-null": "~\n",
    "two-documents": GOOD + "---\n" + GOOD,
    "a-list": "- environment: test\n",
    "a-text": "environment\n",
    "a-number": "12\n",
    "anchor": changed("us-east-1", "&region us-east-1"),
    "alias": changed("use1-az6", "*zone").replace("us-east-1", "&zone us-east-1"),
    "undefined-alias": changed("use1-az6", "*zone"),
    "recursive-alias": changed("network:", "network: &n\n  existing: *n"),
    "anchored-key": changed("region:", "&a region:"),
    "merge-key": changed("network:\n", "network:\n  <<: {egress: nat}\n"),
    "tag": changed("count: 4", "count: !!str 4"),
    "python-tag": changed("us-east-1", '!!python/object/apply:os.system ["true"]'),
    "tagged-mapping": changed("network:", "network: !custom"),
    "tagged-key": changed("region:", "!x region:"),
    "key-is-a-list": changed("network:", "[a, b]: c\nnetwork:"),
    "duplicate-key": changed("count: 4", "count: 4\n    count: 8"),
    "duplicate-top-level-key": GOOD + "region: us-west-2\n",
    "unknown-key": changed("cidr:", "cidrs:"),
    "unknown-key-at-the-top": GOOD + "colour: red\n",
    "key-of-another-place": GOOD + "egress: nat\n",
    "missing-key": changed("    count: 4\n", ""),
    "missing-block": changed(
        "network:\n  cidr: 10.0.0.0/16\n  availability_zone_id: use1-az6\n", ""
    ),
    "empty-key": changed('account: "111122223333"', "account:"),
    "number-as-text": changed("count: 4", 'count: "4"'),
    "number-with-separators": changed("count: 4", "count: 1_024"),
    "account-without-quotes": changed('"111122223333"', "111122223333"),
    "account-with-leading-zero": changed('"111122223333"', "012345678901"),
    "account-too-short": changed("111122223333", "1111"),
    "account-in-other-digits": changed("111122223333", "١١١١٢٢٢٢٣٣٣٣"),
    "fraction-for-a-count": changed("count: 4", "count: 4.0"),
    "yes-for-a-boolean": GOOD + "identity: {session_manager: no}\n",
    "text-for-a-mapping": changed("network:\n  cidr: 10.0.0.0/16", "network: 10.0.0.0/16\nrun:"),
    "mapping-for-a-list": GOOD + "waivers: {rule: CW-N003}\n",
    "scalar-for-a-list": GOOD + "slurm: {users: 5}\n",
    "negative": changed("count: 4", "count: -4"),
    "too-many": changed("count: 4", "count: 100000"),
    "zero-hours": GOOD + "run: {hours: 0}\n",
    "huge-integer": changed("count: 4", "count: " + "9" * 60),
    "huge-exponent": changed("count: 4", "count: 1e999"),
    "not-a-number": GOOD + "budget: {monthly_usd: .nan}\n",
    "infinite": GOOD + "run: {hours: .inf}\n",
    "enum-misspelt": changed("role: compute", "role: computer"),
    "union-misspelt": GOOD + "    capacity: {kind: traning-plan}\n",
    "union-without-kind": GOOD + "    capacity: {arn: x}\n",
    "union-with-a-foreign-key": GOOD + "    capacity: {kind: spot, id: cr-0123456789abcdef0}\n",
    "instance-type-misspelt": changed("p5.48xlarge", "p5.48large"),
    "instance-type-of-sagemaker": changed("p5.48xlarge", "ml.p5.48xlarge"),
    "zone-of-another-region": changed("use1-az6", "usw2-az1"),
    "zone-by-name": changed("use1-az6", "us-east-1a"),
    "region-unknown": changed("us-east-1", "us-east-9").replace("use1-az6", "use9-az1"),
    "region-misspelt": changed("us-east-1", "eu-wst-1").replace("use1-az6", "euw1-az1"),
    "address-range-wrong": changed("10.0.0.0/16", "10.0.0.0/8"),
    "address-range-with-host-bits": changed("10.0.0.0/16", "10.0.1.0/16"),
    "address-range-out-of-range": changed("10.0.0.0/16", "10.0.0.256/16"),
    "not-a-day": GOOD
    + "waivers: [{rule: CW-N003, reason: because I say so, expires: 2027-02-30}]\n",
    "a-day-as-number": GOOD + "waivers: [{rule: CW-N003, reason: because I say so, expires: 5}]\n",
    "nul": changed("test", "te\0st"),
    "control-character": changed("test", "te\x1b[31mst"),
    "escape-in-a-quoted-text": changed("environment: test", 'environment: "te\\e[31mst"'),
    "emoji": changed("test", "🚀"),
    "right-to-left": changed("test", "\u202etset"),
    "line-separator": changed("environment: test", 'environment: "te\u2028st"'),
    "deep-brackets": GOOD + "tags: " + "[" * 60 + "]" * 60 + "\n",
    "deeper-brackets": GOOD + "tags: " + "[" * 1500 + "\n",
    "platform-without-such-a-role": changed("hyperpod-slurm", "eks"),
    "section-of-another-platform": GOOD + "parallelcluster: {version: 3.16.1}\n",
    "many-mistakes": changed("count: 4", "cuont: 4")
    .replace("use1-az6", "use2-az1")
    .replace("role: compute", "role: worker")
    .replace('"111122223333"', "111122223333"),
}


@pytest.mark.parametrize("name", TEXTS)
def test_invalid_text_is_refused_with_its_position(
    name: str, tmp_path: Path, snapshot: SnapshotAssertion
) -> None:
    (tmp_path / "spec.yaml").write_text(TEXTS[name], encoding="utf-8")
    with nothing_written(tmp_path):
        answer = clusterwright("expand", "spec.yaml", folder=tmp_path)
    assert answer.exit_code == 3
    assert answer.out == ""
    assert answer.err.startswith("error: ")
    assert re.search(r"^  spec\.yaml:\d+:\d+$", answer.err, re.MULTILINE)
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202e]", answer.err)
    assert answer.err == snapshot


BYTES = {
    "binary": bytes(range(256)) * 4,
    "latin-1": GOOD.replace("test", "tést").encode("latin-1"),
    "utf-16": GOOD.encode("utf-16"),
    "cut-in-a-character": GOOD.encode() + "é".encode()[:1],
}


@pytest.mark.parametrize("name", BYTES)
def test_invalid_utf_8_is_refused(name: str, tmp_path: Path, snapshot: SnapshotAssertion) -> None:
    (tmp_path / "spec.yaml").write_bytes(BYTES[name])
    with nothing_written(tmp_path):
        answer = clusterwright("expand", "spec.yaml", folder=tmp_path)
    assert (answer.exit_code, answer.out) == (3, "")
    assert answer.err == snapshot


@pytest.mark.parametrize(
    "text",
    [
        "\ufeff" + GOOD,
        GOOD.replace("\n", "\r\n"),
        "\ufeff" + GOOD.replace("\n", "\r\n"),
        GOOD.replace("\n", "\r"),
        "---\n" + GOOD + "...\n",
        "%YAML 1.1\n---\n" + GOOD,
        GOOD.replace("  - {name: controller", "\n\n  # note\n  - {name: controller"),
    ],
    ids=["bom", "crlf", "bom-crlf", "cr", "markers", "directive", "comments"],
)
def test_byte_order_mark_and_line_endings_are_accepted(text: str, tmp_path: Path) -> None:
    (tmp_path / "plain.yaml").write_text(GOOD, encoding="utf-8", newline="")
    (tmp_path / "spec.yaml").write_text(text, encoding="utf-8", newline="")
    plain = clusterwright("expand", "plain.yaml", folder=tmp_path)
    answer = clusterwright("expand", "spec.yaml", folder=tmp_path)
    assert answer.exit_code == 0
    assert answer == plain


def test_positions_are_correct_with_windows_line_endings_and_a_mark(tmp_path: Path) -> None:
    text = "\ufeff" + GOOD.replace("count: 4", "count: x").replace("\n", "\r\n")
    (tmp_path / "spec.yaml").write_text(text, encoding="utf-8", newline="")
    answer = clusterwright("expand", "spec.yaml", folder=tmp_path)
    assert "  spec.yaml:13:12\n   13 |     count: x\n      |            ^\n" in answer.err


def test_yaml_1_1_directive_does_not_change_booleans(tmp_path: Path) -> None:
    text = "%YAML 1.1\n---\n" + GOOD + "identity: {session_manager: yes}\n"
    (tmp_path / "spec.yaml").write_text(text)
    answer = clusterwright("expand", "spec.yaml", folder=tmp_path)
    assert answer.exit_code == 3
    assert "expected true or false, got a string" in answer.err


def test_missing_file_has_a_suggestion(tmp_path: Path, snapshot: SnapshotAssertion) -> None:
    (tmp_path / "production.yaml").write_text(GOOD)
    with nothing_written(tmp_path):
        answer = clusterwright("expand", "prodution.yaml", folder=tmp_path)
    assert (answer.exit_code, answer.out) == (3, "")
    assert answer.err == snapshot


def test_missing_folder_is_reported(tmp_path: Path, snapshot: SnapshotAssertion) -> None:
    answer = clusterwright("expand", "nowhere/prod.yaml", folder=tmp_path)
    assert answer.exit_code == 3
    assert answer.err == snapshot


def test_folder_is_refused(tmp_path: Path, snapshot: SnapshotAssertion) -> None:
    (tmp_path / "configs").mkdir()
    answer = clusterwright("expand", "configs", folder=tmp_path)
    assert answer.exit_code == 3
    assert answer.err == snapshot


def test_large_file_is_not_read(tmp_path: Path, snapshot: SnapshotAssertion) -> None:
    (tmp_path / "large.yaml").write_text("# padding\n" * 1_000_000)
    answer = clusterwright("expand", "large.yaml", folder=tmp_path)
    assert answer.exit_code == 3
    assert answer.err == snapshot


def test_endless_device_is_read_up_to_the_limit() -> None:
    answer = clusterwright("expand", "/dev/zero")
    assert answer.exit_code == 3
    assert "more than 1,000,000 bytes" in answer.err


def test_unreadable_file_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # The tests run as root, who can read every file: the error is simulated.
    def closed(self: Path, *arguments: object, **keywords: object) -> None:
        raise PermissionError(13, "Permission denied", str(self))

    (tmp_path / "spec.yaml").write_text(GOOD)
    monkeypatch.setattr(Path, "open", closed)
    answer = clusterwright("expand", "spec.yaml", folder=tmp_path)
    assert answer.exit_code == 3
    assert "spec.yaml cannot be read: Permission denied" in answer.err


def test_symbolic_link_loop_is_reported(tmp_path: Path) -> None:
    (tmp_path / "spec.yaml").symlink_to("spec.yaml")
    answer = clusterwright("expand", "spec.yaml", folder=tmp_path)
    assert answer.exit_code == 3
    assert answer.err.startswith("error: spec.yaml ")


@pytest.mark.parametrize("name", ["", "x" * 5000, "~", "-"])
def test_invalid_file_names_are_reported(name: str, tmp_path: Path) -> None:
    answer = clusterwright("expand", "--config", name, folder=tmp_path)
    assert (answer.exit_code, answer.out) == (3, "")
    assert answer.err.startswith("error: ")


def test_contradicting_files_are_both_named(tmp_path: Path, snapshot: SnapshotAssertion) -> None:
    (tmp_path / "base.yaml").write_text("slurm: 5\nnetwork: {egress: nat}\ntags: {a: b}\n")
    (tmp_path / "dev.yaml").write_text(GOOD + "slurm: {containers: {pyxis: true}}\ntags: none\n")
    with nothing_written(tmp_path):
        answer = clusterwright("expand", "dev.yaml", folder=tmp_path)
    assert (answer.exit_code, answer.out) == (3, "")
    assert answer.err == snapshot


def test_errors_of_base_and_environment_are_reported_together(
    tmp_path: Path, snapshot: SnapshotAssertion
) -> None:
    (tmp_path / "base.yaml").write_text("network: [\n")
    (tmp_path / "dev.yaml").write_text("region: {\n")
    answer = clusterwright("expand", "dev.yaml", folder=tmp_path)
    assert answer.exit_code == 3
    assert answer.err == snapshot


def test_error_in_the_base_has_its_position_there(tmp_path: Path) -> None:
    (tmp_path / "base.yaml").write_text("network:\n  egress: open\n")
    (tmp_path / "dev.yaml").write_text(GOOD)
    answer = clusterwright("expand", "dev.yaml", folder=tmp_path)
    assert answer.exit_code == 3
    assert "  base.yaml:2:11\n" in answer.err


def test_thousands_of_unknown_keys_are_reported_fast(tmp_path: Path) -> None:
    text = GOOD + "".join(f"key{i}: {i}\n" for i in range(8_000))
    (tmp_path / "spec.yaml").write_text(text)
    started = time.monotonic()
    answer = clusterwright("expand", "spec.yaml", folder=tmp_path)
    assert answer.exit_code == 3
    assert "and 7,900 similar problems" in answer.err
    assert time.monotonic() - started < 60


def test_problems_are_json_if_requested(tmp_path: Path) -> None:
    (tmp_path / "spec.yaml").write_text(changed("count: 4", "count: -4"))
    answer = clusterwright("expand", "spec.yaml", "--format", "json", folder=tmp_path)
    assert answer.exit_code == 3
    said = json.loads(answer.out)
    assert said["command"] == "expand"
    assert said["exit_code"] == 3
    assert [p["path"] for p in said["problems"]] == ["compute[1].count"]
    assert (said["problems"][0]["file"], said["problems"][0]["line"]) == ("spec.yaml", 13)


@pytest.mark.parametrize("indent", [None, 1])
def test_thousands_of_contradictions_are_bounded(tmp_path: Path, indent: int | None) -> None:
    groups = [f"missing-{i}" for i in range(15_000)]
    slurm = {"partitions": [{"name": "p", "groups": groups}]}
    (tmp_path / "f.yaml").write_text(f"{GOOD}slurm: {json.dumps(slurm, indent=indent)}\n")
    answer = clusterwright("check", "f.yaml", "--offline", folder=tmp_path)
    assert answer.exit_code == 3
    assert "and 14,9" in answer.err
    assert "more problems" in answer.err
    assert len(answer.out + answer.err) < 100_000
