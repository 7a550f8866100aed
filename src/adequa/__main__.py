"""`python -m adequa` is the command `adequa`."""

from adequa.cli import main

if __name__ == "__main__":
    main()
