"""What the text of a step or a script shows."""

from __future__ import annotations

import pytest

from clusterwright.preflight.rules.lifecycle import step_contents
from clusterwright.preflight.rules.lifecycle.step_contents import (
    CHANGES_IN_CHECK,
    DISTURBS,
    DOWNLOADS,
    OVERWRITES,
)


@pytest.mark.parametrize(
    ("line", "kind", "words"),
    [
        ('node.machine.change("pip", "install", "torch")', DOWNLOADS, "pip install torch"),
        ('node.machine.change("python3", "-m", "pip", "install", "x")', DOWNLOADS,
         "python3 -m pip install"),
        ('subprocess.run(["apt-get", "install", "-y", "htop"])', DOWNLOADS,
         "apt-get install -y htop"),
        ('subprocess.run("cd /tmp && curl -O https://x/y", shell=True)', DOWNLOADS,
         "curl -O https://x/y"),
        ('os.system("sudo docker pull x")', DOWNLOADS, "docker pull x"),
        ('node.machine.query("git", "clone", URL)', DOWNLOADS, "git clone https://x"),
        ("urllib.request.urlopen(URL)", DOWNLOADS, "urlopen"),
        ('node.machine.write_text("/opt/slurm/etc/slurm.conf", TEXT)', OVERWRITES,
         "/opt/slurm/etc/slurm.conf"),
        ("node.machine.write_text(HOSTS, TEXT)", OVERWRITES, "/etc/hosts"),
        ('open("/etc/slurm/gres.conf", "w")', OVERWRITES, "/etc/slurm/gres.conf"),
        ('Path("/etc/munge/munge.key").write_bytes(b"")', OVERWRITES, "/etc/munge/munge.key"),
        ('subprocess.run("echo x >> /etc/environment", shell=True)', OVERWRITES,
         "/etc/environment"),
        ('node.machine.change("sed", "-i", "s/a/b/", "/etc/fstab")', OVERWRITES, "/etc/fstab"),
        ('node.machine.change("systemctl", "restart", "slurmd.service")', DISTURBS,
         "systemctl restart slurmd.service"),
        ('subprocess.run(["pkill", "slurmd"])', DISTURBS, "pkill slurmd"),
        ('node.machine.change("reboot")', DISTURBS, "reboot"),
        ('node.machine.change("systemctl", "reboot")', DISTURBS, "systemctl reboot"),
    ],
)  # fmt: skip
def test_effects_of_python(line: str, kind: str, words: str) -> None:
    text = f'URL = "https://x"\nHOSTS = "/etc/hosts"\ndef apply(node):\n    {line}\n'
    (effect,) = step_contents.of_python(text)
    assert (effect.kind, effect.line, effect.words) == (kind, 4, words)


@pytest.mark.parametrize(
    "line",
    [
        'node.machine.query("apt-get", "--version")',
        'node.machine.change("pip", "install", "--no-index", "/opt/x.whl")',
        'node.machine.change("apt-get", "install", "/var/lib/x.deb")',
        'node.machine.query("curl", "http://169.254.169.254/latest")',
        'urllib.request.urlopen("http://127.0.0.1:9177/metrics")',
        'node.machine.change("aws", "s3", "cp", "s3://b/k", "/opt/x")',
        'node.machine.query("cat", "/etc/hosts")',
        'open("/etc/hosts")',
        'node.machine.read_text("/opt/slurm/etc/slurm.conf")',
        'node.machine.write_text("/opt/slurm/etc/clusterwright-site/slurm.conf", TEXT)',
        'node.machine.change("systemctl", "restart", "chrony.service")',
        'node.machine.query("systemctl", "is-active", "slurmd.service")',
        "node.machine.change(*command)",
        'log("do not pip install here")',
    ],
)
def test_harmless_code(line: str) -> None:
    assert step_contents.of_python(f"def apply(node):\n    {line}\n") == []


def test_check_that_changes_the_machine() -> None:
    text = 'def check(node):\n    node.machine.write_text("/etc/x", "")\n'
    (effect,) = step_contents.of_python(text)
    assert (effect.kind, effect.words) == (CHANGES_IN_CHECK, "check() calls machine.write_text")


def test_shell_scripts_are_read_line_by_line() -> None:
    text = (
        "#!/bin/bash\n# curl https://a\nset -e\nPIP_INDEX_URL=x pip install y\n"
        "echo 'unclosed | wget https://b\necho a > /etc/hosts; systemctl stop slurmd\n"
    )
    found = step_contents.of_shell(text)
    assert [(each.line, each.kind) for each in found] == [
        (4, DOWNLOADS),
        (5, DOWNLOADS),
        (6, OVERWRITES),
        (6, DISTURBS),
    ]
