"""Entry point of the command `baytree`, and of `python -m baytree`."""
# PYTHON_ARGCOMPLETE_OK

import sys


def main() -> int:
    """Run the command of the command line, and return its exit code.

    Returns
    -------
    int
        As of `baytree.cli.main.main`. After Ctrl-C the process ends here, with 130.

    Examples
    --------
    >>> main.__module__
    'baytree.__main__'
    """
    try:  # modules are loaded here, so that Ctrl-C is no traceback while they are
        from baytree.cli.startup import INTERRUPTED, LeavingAtCtrlC, leave_at_once

        with LeavingAtCtrlC():
            from baytree.cli.main import main as run_command
        code = run_command()
        if code == INTERRUPTED:
            leave_at_once(code)
        return code
    except KeyboardInterrupt:
        print("baytree: interrupted", file=sys.stderr)
        return 130


if __name__ == "__main__":
    sys.exit(main())
