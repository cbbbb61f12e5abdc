"""The wheel's build hook: makes the packaged data sets and compiles the kernel templates."""

import importlib.util
import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class WheelHook(BuildHookInterface):
    """Runs before hatchling collects the files; an sdist already carries the data sets, so it needs no network."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Called by hatchling before every build, editable ones included."""
        root = Path(self.root)
        sys.path.insert(0, str(root / "build_scripts"))
        import datasets

        datasets.ensure()
        if self.target_name == "wheel" and version == "standard":
            build_data["force_include"] |= self._compiled_templates(root)

    def _compiled_templates(self, root: Path) -> dict[str, str]:
        """Where the compiled templates lie now and in the wheel."""
        path = root / "py_core/tabgrad/compiler/codegen/templates.py"
        spec = importlib.util.spec_from_file_location("templates", path)
        assert spec is not None and spec.loader is not None
        templates = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(templates)
        folder = Path(self.directory) / templates.COMPILED
        templates.compile_into(folder, root / "wgsl_kernels")
        modules = sorted(folder.glob("*.py"))
        return {str(m): f"tabgrad/wgsl_kernels/{templates.COMPILED}/{m.name}" for m in modules}
