import pytest


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    for item in items:
        if "/tests/node/" in item.path.as_posix():
            item.add_marker("node")
