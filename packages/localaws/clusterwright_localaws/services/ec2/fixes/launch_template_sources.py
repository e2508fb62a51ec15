"""moto ignores the version on which a new version of a launch template is based.

It also fails at a version that is no number, and takes `0` for the last one.

"If you specify this parameter, the new version inherits the launch parameters from the source
version. If you specify additional launch parameters for the new version, they overwrite any
corresponding launch parameters inherited from the source version.", botocore's model says of
SourceVersion.
"""

from __future__ import annotations

from typing import Any

from clusterwright_localaws.core.runtime import runtime

MOTO_VERSION = "5.2.5"
DESCRIPTION = (
    "EC2: a new version of a launch template inherits from its source version, and versions that "
    "do not exist are refused"
)


def apply() -> None:
    from moto.ec2.models.launch_templates import LaunchTemplate
    from moto.ec2.responses.launch_templates import LaunchTemplates

    _check_versions(LaunchTemplate)
    create = LaunchTemplates.create_launch_template_version

    def create_launch_template_version(self: Any) -> Any:
        source = self._get_param("SourceVersion")
        if runtime().active and source:
            given = self._get_param("LaunchTemplateData", {})
            data = {**_version(self, str(source)).data, **given}
            self.params = {**self.params, "LaunchTemplateData": data}
        return create(self)

    LaunchTemplates.create_launch_template_version = (  # type: ignore[method-assign]
        create_launch_template_version
    )


def _version(response: Any, source: str) -> Any:
    name = response._get_param("LaunchTemplateName")
    template_id = response._get_param("LaunchTemplateId")
    backend = response.ec2_backend
    template = (
        backend.get_launch_template(template_id)
        if template_id
        else backend.get_launch_template_by_name(name)
    )
    return template.get_version(source)


def _check_versions(template: Any) -> None:
    from moto.ec2.exceptions import InvalidLaunchTemplateVersionNotFound

    in_moto = template.get_version

    def get_version(self: Any, num: Any) -> Any:
        numbers = {str(one.number) for one in self.versions}
        if str(num).lower() not in numbers | {"$latest", "$default"}:
            raise InvalidLaunchTemplateVersionNotFound(template_id=self.id, version=num)
        return in_moto(self, num)

    template.get_version = get_version
