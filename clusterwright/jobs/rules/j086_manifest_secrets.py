"""Variables of containers contain no secrets."""

from __future__ import annotations

from clusterwright.jobs.job_file import is_secret, secret_spans
from clusterwright.jobs.manifest_fields import is_placeholder
from clusterwright.jobs.manifests import variables
from clusterwright.jobs.rule import Fail, ManifestRule, Manifests, Results


class ManifestSecrets(ManifestRule):
    id = "CW-J086"
    severity = "warning"
    prevents = "a key in version control, and in `kubectl get -o yaml` for all who may read pods"
    source = "Kubernetes documentation, Secrets, Using Secrets as environment variables"

    def check(self, manifests: Manifests) -> Results:
        for name, value in variables(manifests):
            if value is None or value.text is None or name.text is None:
                continue
            if is_placeholder(value.text):
                continue
            if is_secret(name.text, value.text) or secret_spans(value.text):
                yield Fail(
                    message=f"{name.text} contains what looks like a secret",
                    at=value,
                    hint=f"{{name: {name.text}, "
                    "valueFrom: {secretKeyRef: {name: ..., key: ...}}}",
                )
