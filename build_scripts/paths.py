"""Where things lie: the checkout's folders, and the cache that outlives a checkout."""

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "py_core" / "tabgrad"
DATASETS = PACKAGE / "data" / "files"
KERNELS = ROOT / "wgsl_kernels"
WEB = ROOT / "web"
BUILD = ROOT / "build"
BUNDLE = BUILD / "pyodide"
SITE = BUILD / "site"

# Downloads, named by their sha256, so that a second checkout fetches nothing.
CACHE = Path(
    os.environ.get("TABGRAD_CACHE") or Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "tabgrad"
)
