"""One module a version; none is ever changed after a release."""
