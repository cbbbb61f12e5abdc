"""What is imported late: names by the file that has them."""

# Written by build_scripts/stubs.py.

FUNCTIONS: dict[str, str] = {"tabgrad.ops.rare.trigonometric": "tan tan_ atan atan_ arctan arctan_"}
CLASSES: dict[str, dict[str, str]] = {"nn": {}, "optim": {}}
