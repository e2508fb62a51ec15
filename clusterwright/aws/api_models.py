"""How botocore's API models are read: as they are, only without its ordered dictionaries.

botocore builds every object of these files, EC2's alone 5 MB of JSON, with a hook of its own into
an OrderedDict (botocore.loaders.JSONFileLoader). A dict keeps its order since Python 3.7, the
parser makes it without leaving C, and it takes half the memory.
"""

from __future__ import annotations

import json
from typing import Any


def read_models_as_dicts(session: Any) -> None:
    """Let a botocore session read its models as plain dicts; before its first client."""
    from botocore.loaders import JSONFileLoader, Loader

    class DictLoader(JSONFileLoader):  # type: ignore[misc]
        def _load_file(self, full_path: str, open_method: Any) -> Any:
            try:
                with open_method(full_path, "rb") as file:
                    return json.loads(file.read())
            except FileNotFoundError:
                return None  # botocore tries the compressed name next

    loader = session.get_component("data_loader")
    if type(loader) is Loader and type(loader.file_loader) is JSONFileLoader:
        loader.file_loader = DictLoader()  # somebody else's is left alone
