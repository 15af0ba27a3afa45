"""Ctrl-C while a command starts, before there is anything to save, and after all is saved.

Only modules that the interpreter has loaded anyway are imported, so that Ctrl-C is handled soon.
"""

import os
import sys

TYPE_CHECKING = False  # as in typing, which takes longer to load than all of this
if TYPE_CHECKING:
    import signal as _signal
    from typing import NoReturn
else:
    import _signal  # signal itself loads enum and more

INTERRUPTED = 130


class LeavingAtCtrlC:
    """Ends the process at Ctrl-C within the block, which may only load modules.

    A KeyboardInterrupt would not work: modules in C turn it into an ImportError, and the
    interpreter drops it in the callbacks of its import locks, with a traceback.
    """

    def __enter__(self) -> None:
        """Replace the default handler of Ctrl-C, and no other."""
        handler = _signal.getsignal(_signal.SIGINT)
        self._is_ours = handler is _signal.default_int_handler  # not that of nohup
        try:
            if self._is_ours:
                _signal.signal(_signal.SIGINT, _leave)
        except ValueError:  # only the main thread can handle Ctrl-C
            self._is_ours = False

    def __exit__(self, *_: object) -> None:
        """Restore the default handler."""
        if self._is_ours:
            _signal.signal(_signal.SIGINT, _signal.default_int_handler)


def leave_at_once(code: int) -> "NoReturn":
    """Flush the output and end the process without the clean-up of the interpreter.

    With pandas loaded, that would take several tenths of a second after Ctrl-C.
    """
    import contextlib  # late, as above

    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):  # closed, or without a reader
            if stream is not None:
                stream.flush()
    os._exit(code)


def _leave(*_: object) -> None:
    try:
        os.write(2, b"baytree: interrupted\n")
    finally:  # also without a reader
        os._exit(INTERRUPTED)
