"""`python -m tests.process.driving …`: runs a program in this terminal and reports.

It is the program under test of a pseudo-terminal: what it writes last is JSON behind a mark.
"""

import json
import os
import signal
import sys
import termios

from inspector.process.foreground import NotStarted, run_here

MARK = "TOLD "


def main() -> None:
    """Runs what the arguments say: the program's file, then its words."""
    program, *argv = sys.argv[1:]
    before = termios.tcgetattr(0)
    handler = signal.getsignal(signal.SIGINT)
    pids: list[int] = []
    try:
        code = run_here(argv, program=program, cwd="/", env=dict(os.environ), on_start=pids.append)
    except NotStarted as why:
        print(f"{MARK}{json.dumps({'why': str(why)})}")
        return
    told = {
        "code": code,
        "same_modes": termios.tcgetattr(0) == before,
        "same_handler": signal.getsignal(signal.SIGINT) == handler,
        "foreground": os.tcgetpgrp(0) == os.getpgrp(),
        "pids": len(pids),
    }
    print(f"{MARK}{json.dumps(told)}", flush=True)


if __name__ == "__main__":
    main()
