"""A program that behaves as `grimoire resume` was seen to; STAND_IN says in which situation.

It is run as a program of its own and imports nothing of the project.
"""

import fcntl
import json
import os
import signal
import sqlite3
import struct
import sys
import termios
import time
from collections.abc import Callable
from typing import Any

STAMP = "2026-11-29T20:10:00.000Z"
RUN_ID = sys.argv[2]
STATE = sys.argv[sys.argv.index("--state-dir") + 1]


def say(words: str) -> None:
    sys.stderr.write(f"{words}\n")
    sys.stderr.flush()


def fail(words: str) -> int:
    say(f"\x1b[31m✖\x1b[0m {words}")
    print("code: UNKNOWN\nmessage: Resume failed")
    return 1


def write(*statements: tuple[str, tuple[Any, ...]]) -> None:
    connection = sqlite3.connect(os.path.join(STATE, "grimoire.db"), timeout=10)
    with connection:
        for sql, values in statements:
            connection.execute(sql, values)
    connection.close()


def destination(status: str, error: str | None = None) -> None:
    track = (
        "UPDATE run_tracks SET status = ?, error = ?, updated_at = ? WHERE role ="
        " 'destination' AND run_id = ?",
        (status, error, STAMP, RUN_ID),
    )
    row = (
        "INSERT INTO runs(spell_id, run_id, timestamp, success, error, duration, metrics,"
        " final_state) VALUES('XDest', ?, ?, ?, ?, 0, '{}', '{}')",
        (RUN_ID, STAMP, int(error is None), error),
    )
    write(track, row)


def succeed() -> int:
    destination("completed")
    say("✔ Cross-chain run resumed successfully.")
    if sys.stdout.isatty():
        print("status: ready\nfinalState:\n  received: 6")
        return 0
    print("code: UNKNOWN\nmessage: JSON.stringify cannot serialize BigInt.")
    return 1


def wait() -> int:
    say("✔ Run is waiting for handoff settlement. Use --watch to continue.")
    say(json.dumps({"success": True, "resumed": False, "status": "waiting"}))
    return 0


def time_out() -> int:
    write(
        ("UPDATE run_handoffs SET status = 'expired' WHERE run_id = ?", (RUN_ID,)),
        ("UPDATE run_tracks SET status = 'failed' WHERE role = 'destination'", ()),
    )
    return fail("Handoff settlement timed out after 2 seconds")


def go_wrong() -> int:
    destination("failed", "[STEP_FAILED] Unknown binding: missing_thing")
    say("✔ Destination execution failed: [STEP_FAILED] Unknown binding: missing_thing")
    return 1


def ask() -> int:
    """Wants the keystore's password from the terminal, unseen."""
    with open("/dev/tty", "r+b", buffering=0) as terminal:
        modes = termios.tcgetattr(terminal)
        hidden = list(modes)
        hidden[3] &= ~termios.ECHO
        termios.tcsetattr(terminal, termios.TCSAFLUSH, hidden)
        terminal.write(b"Keystore password: ")
        typed = terminal.readline().strip()
        # It does not put the modes back, as programs that crash do not.
    return succeed() if typed == b"opensesame" else fail("Wrong password")


def columns() -> int:
    packed = fcntl.ioctl(1, termios.TIOCGWINSZ, struct.pack("HHHH", 0, 0, 0, 0))
    return int(struct.unpack("HHHH", packed)[1])


def spin() -> int:
    """A spinner that loops forever in a terminal of width 0."""
    shown = 0
    while shown < 3 or not columns():
        sys.stderr.write(f"\r\x1b[2K{'|/-'[shown % 3]} Resuming run {RUN_ID}...")
        sys.stderr.flush()
        shown += 1
        time.sleep(0.01)
    say("")
    return succeed()


def hang() -> int:
    """Runs until a file appears."""
    say("holding")
    while not os.path.exists(os.path.join(STATE, "go-on")):
        time.sleep(0.02)
    return succeed()


def die() -> int:
    os.kill(os.getpid(), signal.SIGKILL)
    return 0


def tell() -> int:
    """Writes down everything that it was given, then succeeds."""
    listed = os.listdir("/proc/self/fd") if os.path.isdir("/proc") else []
    told = {
        "argv": sys.argv[1:],
        "cwd": os.getcwd(),
        "descriptors": sorted(int(one) for one in listed if os.path.exists(f"/proc/self/fd/{one}")),
        "ignored": [
            one.name
            for one in (signal.SIGINT, signal.SIGQUIT)
            if signal.getsignal(one) is signal.SIG_IGN
        ],
        "path": os.environ.get("PYTHONPATH"),
    }
    with open(os.path.join(STATE, f"told-{os.getpid()}.json"), "w", encoding="utf-8") as file:
        json.dump(told, file)
    return succeed()


SITUATIONS: dict[str, Callable[[], int]] = {
    "unknown": lambda: fail(f"Run '{RUN_ID}' not found."),
    "no key": lambda: fail("Resume requires a wallet key. No key found in KEY_ENV."),
    "waiting": wait,
    "success": succeed,
    "password": ask,
    "time out": time_out,
    "destination fails": go_wrong,
    "spinner": spin,
    "hang": hang,
    "killed": die,
    "tell": tell,
}

if __name__ == "__main__":
    say(f"- Resuming run {RUN_ID}...")
    sys.exit(SITUATIONS[os.environ.get("STAND_IN", "success")]())
