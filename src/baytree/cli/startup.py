"""Ctrl-C while a command starts, before there is anything to save, and once all is saved.

Nothing is imported here that the interpreter has not loaded for itself, so that hardly any time
goes by before Ctrl-C is taken care of.
"""

import os
import sys

TYPE_CHECKING = False  # as in typing, which takes longer to load than all of this
if TYPE_CHECKING:
    import signal as _signal
    from typing import NoReturn
else:
    import _signal  # what signal wraps; that one loads enum and more

INTERRUPTED = 130


class LeavingAtCtrlC:
    """Ends the process at Ctrl-C within the block, which may only load modules.

    A KeyboardInterrupt would not do: modules in C turn it into an ImportError on their way, and the
    interpreter itself drops it in the callbacks of its import locks, with a traceback.
    """

    def __enter__(self) -> None:
        """Take Ctrl-C over, where it would be a KeyboardInterrupt."""
        handler = _signal.getsignal(_signal.SIGINT)
        self._is_ours = handler is _signal.default_int_handler  # not that of nohup
        try:
            if self._is_ours:
                _signal.signal(_signal.SIGINT, _leave)
        except ValueError:  # this is not the main thread, which alone is told of Ctrl-C
            self._is_ours = False

    def __exit__(self, *_: object) -> None:
        """Let Ctrl-C be a KeyboardInterrupt again."""
        if self._is_ours:
            _signal.signal(_signal.SIGINT, _signal.default_int_handler)


def leave_at_once(code: int) -> "NoReturn":
    """End the process once what was said is out, without the clean-up of the interpreter.

    With pandas loaded that takes several tenths of a second, for which nobody waits after Ctrl-C.
    """
    import contextlib  # late: see above

    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):  # closed, or nobody reads
            if stream is not None:
                stream.flush()
    os._exit(code)


def _leave(*_: object) -> None:
    try:
        os.write(2, b"baytree: interrupted\n")
    finally:  # also where nobody reads
        os._exit(INTERRUPTED)
