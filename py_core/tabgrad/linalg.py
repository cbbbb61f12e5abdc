"""PyTorch's ``torch.linalg``: imported when it is first used.

Products and norms of vectors are computed on the device. Decompositions, and what is made of them, are computed on the
host in float64: their input is read, so they work where Python can wait for a device, and not in a compiled step.
"""

from tabgrad import names as _names
from tabgrad.host_ops._matrices import SingularError as LinAlgError

globals().update(_names.namespace("linalg"))
__all__ = ["LinAlgError", *sorted(_names.namespace("linalg"))]
