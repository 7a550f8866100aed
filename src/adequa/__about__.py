"""The version, in one place: the build, the signatures and `adequa --version` read it here."""

__version__ = "0.1.0"
