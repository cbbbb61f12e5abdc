"""What is imported late: names by the file that has them."""

# Written by build_scripts/stubs.py.

FUNCTIONS: dict[str, str] = {
    "tabgrad.ops.rare.ordering": "",
    "tabgrad.ops.rare.trigonometric": "tan tan_ atan atan_ arctan arctan_",
    "tabgrad.ops.rare.wgsl": "wgsl_op",
}
CLASSES: dict[str, dict[str, str]] = {"nn": {}, "optim": {}}
