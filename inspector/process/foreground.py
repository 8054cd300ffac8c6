"""A program in our own terminal: it gets the keyboard, the screen and the signals, until it ends.

Only words are started, never a shell's line. Of our descriptors it inherits the three standard
ones and those that are named, nothing else.
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
"""Rows and columns of a terminal that we make."""

_FOUR = "HHHH"


def size_of(terminal: int) -> tuple[int, int] | None:
    """Rows and columns, 0 where it does not know; None for what is no terminal."""
    try:
        packed = fcntl.ioctl(terminal, termios.TIOCGWINSZ, struct.pack(_FOUR, 0, 0, 0, 0))
    except OSError:
        return None
    rows, columns, _, _ = struct.unpack(_FOUR, packed)
    return rows, columns


def set_size(terminal: int, size: tuple[int, int]) -> None:
    """Sets rows and columns; what is no terminal is left alone."""
    rows, columns = size
    try:
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack(_FOUR, rows, columns, 0, 0))
    except OSError:
        return


_LEFT_TO_THE_CHILD = (signal.SIGINT, signal.SIGQUIT)
_QUIET = "\x1b[0m\x1b[?25h\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1006l\x1b[?2004l"
"""Ordinary text, a cursor, no reports of the mouse, no marks around what is pasted."""


class NotStarted(Exception):
    """The program could not be started: why, in a sentence."""


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
    """Runs a program to its end in our terminal and gives its exit code, negative for a signal.

    `program` is its file, `keep` are descriptors that it inherits, `stdout` stands for its standard
    output, `on_start` is told its process id. Afterwards the terminal is as it was. Raises
    NotStarted.
    """
    with _terminal_as_it_was(), _signals_left_to_the_child():
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
            raise NotStarted(why_not(error)) from None
        on_start(process.pid)
        return process.wait()


def until_enter() -> None:
    """Waits until Enter is pressed in our terminal, or an interrupt, or nothing can come any more.

    Whatever else hears of interrupts, such as an event loop that waits, does not.
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


def why_not(error: OSError | ValueError) -> str:
    """Why a program did not start, in a sentence."""
    if isinstance(error, OSError) and error.strerror:
        what = error.filename2 or error.filename
        about = f" ({os.fsdecode(what)!r})" if isinstance(what, str | bytes) else ""
        return f"It could not be started: {error.strerror}{about}."
    return f"It could not be started: {error}."


@contextmanager
def _signals_left_to_the_child() -> Iterator[None]:
    """Keys that interrupt are for the program. A handler of ours, unlike one that ignores, is not
    inherited: the program starts with signals as any program does."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {one: signal.signal(one, lambda *_: None) for one in _LEFT_TO_THE_CHILD}
    try:
        yield
    finally:
        for one, handler in before.items():
            signal.signal(one, handler if handler is not None else signal.SIG_DFL)


@contextmanager
def _terminal_as_it_was() -> Iterator[None]:
    """Puts modes, foreground group and size back, and forgets keys that nobody has read."""
    terminal = _our_terminal()
    if terminal is None:
        yield
        return
    modes, size = _modes_of(terminal), size_of(terminal)
    if size is not None and 0 in size:
        # A spinner in a terminal without a width never stops.
        set_size(terminal, SIZE)
    try:
        yield
    finally:
        _take_back(terminal)
        if modes is not None:
            with suppress(termios.error):
                # What was typed for the program must not become a command of ours.
                termios.tcsetattr(terminal, termios.TCSAFLUSH, modes)
        if size is not None and 0 in size:
            set_size(terminal, size)
        with suppress(OSError):
            if os.isatty(1):
                os.write(1, _QUIET.encode())


def _our_terminal() -> int | None:
    return next((one for one in (0, 1, 2) if os.isatty(one)), None)


def _modes_of(terminal: int) -> list[Any] | None:
    try:
        return termios.tcgetattr(terminal)
    except termios.error:
        return None


def _take_back(terminal: int) -> None:
    """Makes our process group the one that the terminal is for, if the program took it."""
    with suppress(OSError):
        ours = os.getpgrp()
        if os.tcgetpgrp(terminal) == ours:
            return
        # Whoever is in the background and does this is stopped, unless the signal is blocked.
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTTOU})
        try:
            os.tcsetpgrp(terminal, ours)
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)


DEFAULT = "less"

AT_ONCE = 0.5
"""Seconds in which nobody has read anything: a pager that ends sooner only printed."""


class NoPager(Exception):
    """There is no pager: why, in a sentence."""


@dataclass(frozen=True, slots=True)
class Pager:
    """A program that shows a file, and the words before the file's name."""

    program: str
    words: tuple[str, ...]


def pager_of(environ: Mapping[str, str]) -> Pager:
    """The pager that `$PAGER` names, else less. Raises NoPager."""
    chosen = environ.get("PAGER", "").strip()
    try:
        words = shlex.split(chosen) or [DEFAULT]
    except ValueError:
        raise NoPager("$PAGER cannot be read as words: a quote in it is not closed.") from None
    program = shutil.which(words[0], path=environ.get("PATH"))
    if program is None:
        if chosen:
            raise NoPager(f"$PAGER names {words[0]}, which is not found: set it to less, or save.")
        raise NoPager("There is no pager, less is not found: set $PAGER to another, or save.")
    return Pager(os.path.abspath(program), tuple(words))


def read_in(pager: Pager, path: str, env: Mapping[str, str]) -> int:
    """Shows a file in our terminal until it has been read, and gives the pager's exit code.

    Raises NotStarted.
    """
    begun = time.monotonic()
    code = run_here([*pager.words, path], program=pager.program, cwd=_folder(), env=env)
    if time.monotonic() - begun < AT_ONCE:
        print("\nInspector: enter returns to the screen.", end="", flush=True)
        until_enter()
    return code


def show_picture(words: Sequence[str], folder: str, env: Mapping[str, str]) -> int:
    """Runs a program that prints a picture, in `folder`, and waits until it has been seen.

    Raises NotStarted.
    """
    code = run_here(words, program=words[0], cwd=folder, env=env)
    print("\nInspector: enter returns to the screen.", end="", flush=True)
    until_enter()
    return code


def _folder() -> str:
    try:
        return os.getcwd()
    except OSError:
        return "/"
