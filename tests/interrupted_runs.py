"""Scripts that get Ctrl-C while they are at work."""

import signal
import subprocess
import sys
import textwrap
import time

# Goes before a script: a function says "ready" when it is called, once, after some calls before.
ANNOUNCING = """
import importlib, itertools
def announce(module, name, n_before=0):
    module = importlib.import_module(module)
    call = getattr(module, name)
    numbers = itertools.count()
    def announced(*args, **options):
        if next(numbers) == n_before:
            print("ready", flush=True)
        return call(*args, **options)
    setattr(module, name, announced)
"""
COMMAND = """
import sys
from baytree.cli.main import main
sys.exit(main(sys.argv[1:]))
"""
MAX_SECONDS = 200  # a guard, for a script that goes on for ever


def announcing(call, code, n_before=0):
    """Return a script that says "ready" when it calls `call`, such as "baytree._core.f"."""
    module, name = call.rsplit(".", 1)
    script = textwrap.dedent(code)
    return f"{ANNOUNCING}\nannounce({module!r}, {name!r}, {n_before})\n{script}"


def run_and_interrupt(script, *words, delay=0.7):
    """Send Ctrl-C to a script soon after it said "ready"; return its exit code and what it said."""
    with subprocess.Popen(
        [sys.executable, "-c", script, *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            assert process.stdout.readline() == "ready\n", process.stderr.read()
            time.sleep(delay)
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=MAX_SECONDS)
        finally:  # a test that ran out of time leaves nothing behind
            process.kill()
    return process.returncode, out, err
