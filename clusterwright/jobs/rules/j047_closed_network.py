"""Jobs in a closed network download nothing from the internet."""

from __future__ import annotations

import re

from clusterwright.jobs.rule import Command, Fail, Job, JobRule, Results, Word
from clusterwright.jobs.rules.j043_image_reference import references

_URL = re.compile(r"https?://(?!\$|localhost|127\.|169\.254\.|10\.|172\.|192\.168\.)([^/:]+)")
"""A host in a variable is not judged: it is often a node of the job."""
_MOST_ARGUMENTS = 200
_ECR = re.compile(r"(?:docker://)?(?:AWS@)?\d{12}\.dkr\.ecr[\w.-]*")


class ClosedNetwork(JobRule):
    id = "CW-J047"
    severity = "warning"
    prevents = "a job that waits for a connection which the closed network does not have"
    source = "`network.egress: closed` of the spec: no route to the internet"

    def skipped(self, job: Job) -> str | None:
        network = job.cluster.network
        if network.existing is not None:
            return "network.existing: the spec does not say whether it reaches the internet"
        return None

    def check(self, job: Job) -> Results:
        proxies = ("HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy")
        if job.cluster.network.egress != "closed" or any(map(job.file.variable, proxies)):
            return
        for command in job.file.commands:
            word = _fetches(job, command)
            if word is not None:
                yield Fail(
                    message=f"`{word.text.rpartition('/')[2][:40]}` needs the internet, and the "
                    "network is closed",
                    at=word,
                    hint=f"copy it to a bucket first, and read it from {job.shared_paths}",
                )
        for place, text in references(job):
            if not _ECR.match(text) and "${" not in text:
                yield Fail(
                    message=f"{text} is not in Amazon ECR, and the network is closed",
                    at=place,
                    hint="push the image to a repository in ECR, or import it elsewhere",
                )


_FETCHING = frozenset(
    [
        "wget",
        "curl",
        "git",
        "huggingface-cli",
        "hf",
        "pip",
        "pip3",
        "apt-get",
        "apt",
        "dnf",
        "yum",
        "conda",
        "mamba",
    ]
)


def _fetches(job: Job, command: Command) -> Word | None:
    words = command.words
    for index, word in enumerate(words):
        name = word.text.rpartition("/")[2]
        if name not in _FETCHING:
            continue
        following = words[index + 1].text if index + 1 < len(words) else ""
        rest = " ".join(w.text for w in words[index : index + _MOST_ARGUMENTS])
        if name in ("wget", "curl", "git"):
            match = _URL.search(rest)
            if match is not None:
                return None if "amazonaws.com" in match.group(1) else word
        elif name in ("huggingface-cli", "hf"):
            if following == "download":
                return word
        elif following == "install" and not (name in ("pip", "pip3") and _own_index(job, rest)):
            return word
    return None


def _own_index(job: Job, rest: str) -> bool:
    local = ("--no-index", "--index-url", "-i ", "--find-links", "-e ", "--no-deps -e", ".whl")
    stated = job.file.variable("PIP_INDEX_URL") or job.file.variable("PIP_NO_INDEX")
    return stated is not None or any(text in rest for text in local)
