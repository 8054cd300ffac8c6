"""A program in our own terminal: it gets the keyboard, the screen and the signals, until it ends.

Only words are started, never a shell's line. Of our descriptors it inherits the three standard
ones and those that are named, nothing else.
"""

from __future__ import annotations

import os
import signal
import subprocess
import termios
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any

from inspector.process.winsize import SIZE, set_size, size_of

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
