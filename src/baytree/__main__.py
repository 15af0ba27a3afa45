"""Lets `python -m baytree` do what the command `baytree` does."""

import sys

from baytree.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
