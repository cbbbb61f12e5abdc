"""The wheel's build hook: makes the packaged data sets before hatchling collects the files."""

import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class DatasetsHook(BuildHookInterface):
    """Runs ``datasets.ensure()``; an sdist already carries the files, so it needs no network."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Called by hatchling before every build, editable ones included."""
        sys.path.insert(0, str(Path(self.root) / "build_scripts"))
        import datasets

        datasets.ensure()
