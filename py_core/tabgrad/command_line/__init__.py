"""The parts of the ``tabgrad`` command, which :mod:`tabgrad.cli` puts together."""
