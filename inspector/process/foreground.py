"""Runs a program in our own terminal, with keyboard, screen and signals, until it exits.

Programs are argument lists, never shell strings. They inherit the standard descriptors and those
that are named. Also the terminal size, and the user's pager.
"""

from __future__ import annotations

import fcntl
import os
import shlex
import shutil
import signal
import struct
import subprocess
import termios
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any

SIZE = (36, 120)
"""Rows and columns of a pseudo-terminal."""

_FOUR = "HHHH"


def size_of(terminal: int) -> tuple[int, int] | None:
    """Returns rows and columns, 0 if unknown; None if not a terminal."""
    try:
        packed = fcntl.ioctl(terminal, termios.TIOCGWINSZ, struct.pack(_FOUR, 0, 0, 0, 0))
    except OSError:
        return None
    rows, columns, _, _ = struct.unpack(_FOUR, packed)
    return rows, columns


def set_size(terminal: int, size: tuple[int, int]) -> None:
    """Sets rows and columns; does nothing if not a terminal."""
    rows, columns = size
    try:
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack(_FOUR, rows, columns, 0, 0))
    except OSError:
        return


_CHILD_SIGNALS = (signal.SIGINT, signal.SIGQUIT)
_RESET_TERMINAL = "\x1b[0m\x1b[?25h\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1006l\x1b[?2004l"
"""Resets text attributes, cursor, mouse reports and bracketed paste."""


class NotStarted(Exception):
    """The program could not be started; the text is a sentence with the reason."""


def run_here(
    argv: Sequence[str],
    *,
    program: str,
    cwd: str,
    env: Mapping[str, str],
    keep: Sequence[int] = (),
    stdout: int | None = None,
    on_start: Callable[[int], None] = lambda pid: None,
) -> int:
    """Runs a program in our terminal; returns its exit code, negative for a signal.

    `program` is its file, `keep` the descriptors that it inherits, `stdout` replaces its standard
    output, `on_start` receives its process id. Restores the terminal. Raises NotStarted.
    """
    with _restored_terminal(), _signals_for_the_child():
        try:
            process = subprocess.Popen(
                list(argv),
                executable=program,
                cwd=cwd,
                env=dict(env),
                close_fds=True,
                pass_fds=tuple(keep),
                stdout=stdout,
            )
        except (OSError, ValueError) as error:
            raise NotStarted(start_error(error)) from None
        on_start(process.pid)
        return process.wait()


def until_enter() -> None:
    """Waits for Enter, an interrupt, or the end of input.

    Other handlers of interrupts, such as an event loop, are suspended.
    """
    with _interrupts_raise(), suppress(KeyboardInterrupt, OSError):
        while os.read(0, 1) not in (b"\n", b""):
            pass


@contextmanager
def _interrupts_raise() -> Iterator[None]:
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before if before is not None else signal.SIG_DFL)


def start_error(error: OSError | ValueError) -> str:
    """Returns why a program did not start, as a sentence."""
    if isinstance(error, OSError) and error.strerror:
        what = error.filename2 or error.filename
        about = f" ({os.fsdecode(what)!r})" if isinstance(what, str | bytes) else ""
        return f"Could not be started: {error.strerror}{about}."
    return f"Could not be started: {error}."


@contextmanager
def _signals_for_the_child() -> Iterator[None]:
    """Leaves interrupts to the program.

    Installs a handler instead of ignoring them: an ignored signal would be inherited.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {one: signal.signal(one, lambda *_: None) for one in _CHILD_SIGNALS}
    try:
        yield
    finally:
        for one, handler in before.items():
            signal.signal(one, handler if handler is not None else signal.SIG_DFL)


@contextmanager
def _restored_terminal() -> Iterator[None]:
    """Restores modes, foreground group and size; discards unread input."""
    terminal = _our_terminal()
    if terminal is None:
        yield
        return
    modes, size = _modes_of(terminal), size_of(terminal)
    if size is not None and 0 in size:
        # Some programs loop forever in a terminal of width 0.
        set_size(terminal, SIZE)
    try:
        yield
    finally:
        _reclaim(terminal)
        if modes is not None:
            with suppress(termios.error):
                # Keys typed for the program must not reach us.
                termios.tcsetattr(terminal, termios.TCSAFLUSH, modes)
        if size is not None and 0 in size:
            set_size(terminal, size)
        with suppress(OSError):
            if os.isatty(1):
                os.write(1, _RESET_TERMINAL.encode())


def _our_terminal() -> int | None:
    return next((one for one in (0, 1, 2) if os.isatty(one)), None)


def _modes_of(terminal: int) -> list[Any] | None:
    try:
        return termios.tcgetattr(terminal)
    except termios.error:
        return None


def _reclaim(terminal: int) -> None:
    """Makes our process group the foreground group again."""
    with suppress(OSError):
        ours = os.getpgrp()
        if os.tcgetpgrp(terminal) == ours:
            return
        # A background process that does this is stopped unless it blocks the signal.
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTTOU})
        try:
            os.tcsetpgrp(terminal, ours)
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)


DEFAULT = "less"

MIN_PAGER_SECONDS = 0.5
"""A pager that exits sooner has only printed: wait for Enter."""


class NoPager(Exception):
    """No pager is available; the text is a sentence with the reason."""


@dataclass(frozen=True, slots=True)
class Pager:
    """A pager: its file, and the arguments before the name of the text."""

    program: str
    words: tuple[str, ...]


def pager_of(environ: Mapping[str, str]) -> Pager:
    """Returns the pager from `$PAGER`, else less. Raises NoPager."""
    chosen = environ.get("PAGER", "").strip()
    try:
        words = shlex.split(chosen) or [DEFAULT]
    except ValueError:
        raise NoPager("$PAGER is not valid: unclosed quote.") from None
    program = shutil.which(words[0], path=environ.get("PATH"))
    if program is None:
        if chosen:
            raise NoPager(f"$PAGER names {words[0]}, which was not found. Set $PAGER, or save.")
        raise NoPager("No pager: less was not found. Set $PAGER, or save.")
    return Pager(os.path.abspath(program), tuple(words))


def read_in(pager: Pager, path: str, env: Mapping[str, str]) -> int:
    """Shows a file in the pager; returns its exit code. Raises NotStarted."""
    begun = time.monotonic()
    code = run_here([*pager.words, path], program=pager.program, cwd=_folder(), env=env)
    if time.monotonic() - begun < MIN_PAGER_SECONDS:
        print("\nInspector: press Enter to return.", end="", flush=True)
        until_enter()
    return code


def show_picture(words: Sequence[str], folder: str, env: Mapping[str, str]) -> int:
    """Runs a program that prints an image, in `folder`, then waits for Enter. Raises NotStarted."""
    code = run_here(words, program=words[0], cwd=folder, env=env)
    print("\nInspector: press Enter to return.", end="", flush=True)
    until_enter()
    return code


def _folder() -> str:
    try:
        return os.getcwd()
    except OSError:
        return "/"
