"""What is imported late: names by the file that has them."""

# Written by build_scripts/stubs.py.

FUNCTIONS: dict[str, str] = {"tabgrad.ops.rare.trigonometric": "tan tan_ atan atan_ arctan arctan_"}
CLASSES: dict[str, dict[str, str]] = {
    "nn": {},
    "optim": {
        "tabgrad.optim.rare.adadelta": "Adadelta",
        "tabgrad.optim.rare.adafactor": "Adafactor",
        "tabgrad.optim.rare.adagrad": "Adagrad",
        "tabgrad.optim.rare.adamax": "Adamax",
        "tabgrad.optim.rare.asgd": "ASGD",
        "tabgrad.optim.rare.lamb": "LAMB",
        "tabgrad.optim.rare.lbfgs": "LBFGS",
        "tabgrad.optim.rare.lion": "Lion",
        "tabgrad.optim.rare.muon": "Muon",
        "tabgrad.optim.rare.nadam": "NAdam",
        "tabgrad.optim.rare.radam": "RAdam",
        "tabgrad.optim.rare.rmsprop": "RMSprop",
        "tabgrad.optim.rare.rprop": "Rprop",
        "tabgrad.optim.rare.sparse_adam": "SparseAdam",
    },
}
