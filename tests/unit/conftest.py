import pytest

import tabgrad


@pytest.fixture(scope="session", autouse=True)
def _reference_device():
    """Unit tests need no GPU: they compute with NumPy."""
    tabgrad.set_default_device("reference")
