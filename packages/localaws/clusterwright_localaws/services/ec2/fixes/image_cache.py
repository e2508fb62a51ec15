"""moto rebuilds its 1,300 public images for every account, region and reset."""

from __future__ import annotations

import functools
from typing import Any

MOTO_VERSION = "5.2.5"
DESCRIPTION = (
    "EC2: public images are read from disk once per process, and built when images are first "
    "requested (0.4 s per account and region); that of an instance is looked up by its id"
)


def apply() -> None:
    from moto.ec2.models import amis

    read = amis.load_resource
    parse = amis.parse_timestamp
    load = amis.AmiBackend._load_amis

    @functools.cache
    def images(path: str) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = read(path)
        return [
            {**image, "creation_date": parse(image["creation_date"])}
            if image.get("creation_date")
            else image
            for image in found
        ]

    def load_resource(path: str) -> Any:
        # moto modifies the returned list.
        return [dict(image) for image in images(path)]

    def parse_timestamp(value: Any) -> Any:
        return parse(value) if isinstance(value, str) else value

    def get_amis(self: Any) -> dict[str, Any]:
        if not self.__dict__.get("_amis_are_made"):
            self._amis_are_made = True
            # A backend that another service of moto made before has them.
            made = self.__dict__.pop("amis", None)
            if made is None:
                load(self)
            else:
                self._amis = made
        found: dict[str, Any] = self._amis
        return found

    def set_amis(self: Any, value: dict[str, Any]) -> None:
        self._amis = value

    def later(self: Any) -> None:
        """The first reader of `amis` loads them."""

    describe = amis.AmiBackend.describe_images

    def describe_images(self: Any, ami_ids: Any = None, filters: Any = None, **others: Any) -> Any:
        # How moto looks up the image of each new instance: it would compare all images.
        wanted = (filters or {}).get("image-id")
        if isinstance(wanted, str) and len(filters) == 1 and not ami_ids:
            return [self.amis[wanted]] if wanted in self.amis else []
        return describe(self, ami_ids, filters, **others)

    amis.AmiBackend.describe_images = describe_images  # type: ignore[method-assign,assignment]
    amis.load_resource = load_resource  # type: ignore[assignment]
    amis.parse_timestamp = parse_timestamp
    amis.AmiBackend._load_amis = later  # type: ignore[method-assign]
    amis.AmiBackend.amis = property(get_amis, set_amis)  # type: ignore[assignment]
