"""What Grimoire's store holds from the start: two weeks of casts."""

from __future__ import annotations

from dataclasses import dataclass

from inspector.demo.grimoire.cast import Mode
from inspector.demo.grimoire.treasury import ETHER, USDC, Course

MINUTE = 60
HOUR = 60 * MINUTE
DAY = 24 * HOUR


@dataclass(frozen=True, slots=True)
class Planted:
    """A cast that began `ago` seconds before now."""

    ago: int
    suffix: str
    course: Course


_NINE = 5 * HOUR + 32 * MINUTE + 7
"""Since nine o'clock, when it is half past two."""


def _at_nine(days: int) -> int:
    return days * DAY + _NINE


REVERTED = "[ACTION_COMMIT_FAILED] Action step 'action_12' failed: Transaction reverted"
NONCE = (
    "[ACTION_COMMIT_FAILED] Action step 'action_13' failed:"
    " nonce too low: next nonce 412, tx nonce 411"
)
CANCELLED = "[ACTION_COMMIT_FAILED] Action step 'action_11' failed: Execution cancelled by user"
TOO_LOW = "[GUARD_FAILED] Guard failed: the reserve does not cover the largest move"
NO_PRICE = (
    "[STEP_FAILED] Step 'parallel_2' failed at line 21, column 5:"
    " price feed DAI/USD answered 503 three times"
)

TREASURY = (
    Planted(_at_nine(11), "0k3wq7", Course(Mode.SIMULATE, 22 * USDC)),
    Planted(_at_nine(10), "b81xm2", Course(Mode.DRY_RUN, 107 * USDC)),
    Planted(_at_nine(9), "j4z9se", Course(Mode.EXECUTE, -18 * USDC, "action_12", REVERTED)),
    Planted(
        _at_nine(8),
        "v0c6tr",
        Course(Mode.EXECUTE, 104 * USDC, bridge=25 * ETHER, retried=True),
    ),
    Planted(_at_nine(7), "3hq8yd", Course(Mode.EXECUTE, 48 * USDC)),
    Planted(_at_nine(6), "n5p2ka", Course(Mode.SIMULATE, error=TOO_LOW)),
    Planted(_at_nine(5), "x7e1fb", Course(Mode.EXECUTE, 37 * USDC)),
    Planted(_at_nine(4), "l2m4vo", Course(Mode.EXECUTE, -42 * USDC, "action_13", NONCE)),
    Planted(
        _at_nine(3),
        "c9u6hi",
        Course(Mode.EXECUTE, 66 * USDC, lend=40 * ETHER, retried=True),
    ),
    Planted(_at_nine(1), "7xk1be", Course(Mode.EXECUTE, -9 * USDC, "action_11", CANCELLED)),
    Planted(_at_nine(0), "8xk2aa", Course(Mode.EXECUTE, 83_750_000, retried=True)),
    Planted(3 * HOUR + 2 * MINUTE, "5qd7gn", Course(Mode.DRY_RUN, error=NO_PRICE)),
)
"""Its P&L: twelve casts, seven of them good."""

SKIM_AGO, SKIM_SUFFIX = 8 * HOUR + 32 * MINUTE + 7, "2jm5zt"

WAITING_AGO, WAITING_SUFFIX = 12 * MINUTE + 57, "qmwc9f"
ARRIVED_AGO, ARRIVED_SUFFIX = 2 * DAY + 4 * HOUR, "t6d0yx"
