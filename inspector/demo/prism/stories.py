"""What the agents of the demonstration do: a support desk and its neighbours."""

from __future__ import annotations

from inspector.demo.prism.language import Beat, Nodes, Renewal, Story
from inspector.demo.prism.talk import Call, Talk

PROVIDER, MODEL = "anthropic", "sonnet"
NEEDS_APPROVAL = "Tool side effect requires approval"
HALF_HOUR = 1800


def triage() -> Story:
    """Ten tickets are read, tagged and answered; tools work side by side."""
    talk = Talk("support-triage", PROVIDER, MODEL)
    talk.asks("support-triage")
    _one_incident(talk)
    _two_orders(talk)
    talk.answers(
        "Ten tickets: three are one incident, two answered, five tagged for people.",
        used=(3010, 121),
        seconds=9,
    )
    talk.finishes()
    return talk.story()


def _one_incident(talk: Talk) -> None:
    talk.answers(
        "I will look at the queue first.",
        Call("c1", "tickets_list", {"state": "new"}, {"count": 10, "oldest": "T-8814"}, 18),
        used=(1310, 88),
        seconds=9,
    )
    talk.runs()
    talk.answers(
        "Three of them may be one incident. I will read them together.",
        Call("c2", "tickets_read", {"ids": ["T-8814", "T-8815"]}, {"topic": "login loop"}, 62),
        Call("c3", "tickets_read", {"ids": ["T-8820"]}, {"topic": "login loop, EU"}, 95),
        used=(1620, 120),
        seconds=11,
        thinks="Same wording, same hour: probably one cause.",
    )
    talk.runs()
    talk.answers(
        "",
        Call("c4", "handbook_search", {"q": "login loop after update"}, {"hits": 2}, 48),
        used=(1940, 96),
        seconds=8,
    )
    talk.runs()
    talk.answers(
        "The handbook knows it. I tag the three and warn the on-call engineer.",
        Call("c5", "tickets_tag", {"ids": ["T-8814", "T-8815", "T-8820"]}, {"tagged": 3}, 30),
        Call("c6", "oncall_notify", {"team": "identity"}, fails="503 from the pager", seconds=75),
        used=(2180, 141),
        seconds=12,
    )
    talk.runs()
    talk.answers(
        "The pager did not take it. I post in the channel instead.",
        Call("c7", "channel_post", {"channel": "#identity"}, {"posted": True}, 205),
        used=(2420, 155),
        seconds=10,
    )
    talk.runs()


def _two_orders(talk: Talk) -> None:
    talk.answers(
        "Two customers ask about orders. I look both up.",
        Call("c8", "orders_lookup", {"order": "A-1042"}, {"state": "in transit"}, 21),
        Call("c9", "orders_lookup", {"order": "A-1077"}, {"state": "returned"}, 34),
        used=(2630, 200),
        seconds=14,
    )
    talk.runs()
    talk.answers(
        "",
        Call("c10", "tickets_reply", {"ids": ["T-8816", "T-8817"]}, {"sent": 2}, 6),
        used=(2890, 173),
        seconds=8,
    )
    talk.runs()


def refund(*, approved_after: float | None = None) -> Story:
    """Money would leave the house: someone has to approve; with a time someone does."""
    talk = Talk("refund-desk", PROVIDER, MODEL)
    talk.asks("refund-desk A-1042")
    talk.answers(
        "I read the order and what we promise.",
        Call("c1", "orders_lookup", {"order": "A-1042"}, {"total": "48.00", "paid": True}, 4),
        Call("c2", "policy_read", {"topic": "damaged"}, {"refund": "full, within 30 days"}, 6),
        used=(1180, 74),
        seconds=5,
    )
    talk.runs()
    talk.answers(
        "It is covered. I will refund it in full.",
        Call(
            "c3",
            "payments_refund",
            {"order": "A-1042", "amount": "48.00", "currency": "EUR"},
            {"refund": "rf_2207", "state": "booked"},
            3,
        ),
        used=(1420, 91),
        seconds=6,
    )
    talk.waits(NEEDS_APPROVAL, "refund-desk", HALF_HOUR)
    if approved_after is None:
        return talk.story()
    talk.is_allowed(approved_after)
    talk.answers("Refunded: 48.00 EUR, reference rf_2207.", used=(1560, 42), seconds=4)
    talk.finishes(resumed=True)
    return talk.story()


def long_triage() -> Story:
    """Yesterday's triage: approved half-way, and shortened when it grew too long."""
    talk = Talk("support-triage", PROVIDER, MODEL)
    talk.asks("support-triage")
    talk.answers(
        "",
        Call("c1", "tickets_list", {"state": "new"}, {"count": 23}, 3),
        Call("c2", "tickets_list", {"state": "answered"}, {"count": 4}, 5),
        used=(1340, 82),
        seconds=4,
    )
    talk.runs()
    talk.answers(
        "Four are answered. I would close them.",
        Call("c3", "tickets_close", {"ids": ["T-8790", "T-8791", "T-8794", "T-8801"]}, 4, 2),
        used=(2210, 118),
        seconds=5,
    )
    talk.waits(NEEDS_APPROVAL, "support-triage", HALF_HOUR)
    talk.is_allowed(22)
    talk.answers(
        "Closed. Now the new ones, all at once.",
        Call("c4", "tickets_read", {"ids": "T-8802..T-8813"}, {"read": 12}, 7),
        Call("c5", "tickets_read", {"ids": "T-8770..T-8780"}, {"read": 11}, 9),
        used=(4480, 164),
        seconds=6,
    )
    talk.runs()
    talk.compacts("23 new tickets: 14 about invoices, 6 about delivery, 3 about login.", 4)
    talk.answers(
        "",
        Call("c6", "tickets_tag", {"by": "topic"}, {"tagged": 23}, 3),
        used=(2760, 131),
        seconds=4,
    )
    talk.runs()
    talk.answers("23 tagged, 4 closed.", used=(3390, 125), seconds=4)
    talk.finishes(resumed=True)
    return talk.story()


def digest() -> Story:
    """The morning's mail in one page; its model names no price."""
    talk = Talk("inbox-digest", "local", "small-8b", priced=False)
    talk.asks("inbox-digest")
    talk.answers(
        "",
        Call("c1", "mail_search", {"box": "shared", "since": "24h"}, {"messages": 31}, 6),
        Call("c2", "calendar_today", {}, {"meetings": 3}, 2),
        used=(980, 52),
        seconds=5,
    )
    talk.runs()
    talk.answers(
        "",
        Call("c3", "mail_read", {"ids": [4, 9, 17]}, {"read": 3}, 9),
        used=(2140, 71),
        seconds=7,
    )
    talk.runs()
    talk.answers("Three need an answer: the lease, the audit, the printer.", used=(2890, 167),
                 seconds=14)  # fmt: skip
    talk.finishes()
    return talk.story()


def export() -> Story:
    """Fails: the provider is too busy, twice, and then does not answer at all."""
    talk = Talk("invoice-export", PROVIDER, MODEL)
    talk.asks("invoice-export")
    talk.answers(
        "",
        Call("c1", "invoices_list", {"month": "2025-12"}, {"count": 214, "unpaid": 9}, 5),
        used=(1060, 47),
        seconds=4,
    )
    talk.runs()
    talk.stumbles(429, "rate limited: 60 requests a minute", 0.4, 2.0)
    talk.stumbles(429, "rate limited: 60 requests a minute", 0.3, 4.0)
    talk.stumbles(502, "the provider closed the connection", 11.0, None)
    talk.breaks("the provider closed the connection")
    return talk.story()


def changelog() -> Story:
    """The agent that is a node of the release workflow."""
    talk = Talk("changelog-writer", PROVIDER, MODEL)
    talk.asks("changelog-writer")
    talk.answers(
        "",
        Call("c1", "git_log", {"range": "v3.1..v3.2"}, {"commits": 58}, 2),
        used=(900, 40),
        seconds=3,
    )
    talk.runs()
    talk.answers("Seven entries under Added, four under Fixed.", used=(3150, 410), seconds=12)
    talk.finishes()
    return talk.story()


def release() -> Story:
    """A workflow with an agent in it and a branch that was not taken."""
    order = ("plan", "changelog", "tests", "gate", "publish")
    outputs = {
        "plan": {"version": "3.2.0"},
        "changelog": "Seven entries under Added, four under Fixed.",
        "tests": {"passed": 1204, "failed": 0},
        "gate": True,
        "publish": {"tag": "v3.2.0"},
    }
    return _workflow("release-train/v3", order, outputs, (1, 17, 40, 0.2, 6), skipped="hotfix")


def index() -> Story:
    """A workflow that goes on while someone looks."""
    order = ("fetch", "split", "embed", "verify", "publish")
    outputs = {
        "fetch": {"pages": 412},
        "split": {"chunks": 3_870},
        "embed": {"vectors": 3_870},
        "verify": {"recall": 0.97},
        "publish": {"index": "handbook-live"},
    }
    return _workflow("handbook-index", order, outputs, (6, 4, 21, 7, 3), skipped=None)


RENEWED_EVERY = 8.0


def _workflow(
    title: str,
    order: tuple[str, ...],
    outputs: dict[str, object],
    seconds: tuple[float, ...],
    skipped: str | None,
) -> Story:
    """Nodes one after the other; a worker holds it and says so again and again."""
    statuses = dict.fromkeys(order, "pending")
    if skipped is not None:
        statuses[skipped] = "pending"
    beats: list[Beat] = []
    after = 0.0
    for name, takes in zip(order, seconds, strict=True):
        statuses[name] = "running"
        beats.append(Beat(after, (Nodes("running", dict(statuses), outputs),)))
        while takes > RENEWED_EVERY:
            beats.append(Beat(RENEWED_EVERY, (Renewal(),)))
            takes -= RENEWED_EVERY
        statuses[name] = "succeeded"
        after = takes
        if name == "gate" and skipped is not None:
            statuses[skipped] = "skipped"
    beats.append(Beat(after, (Nodes("succeeded", dict(statuses), outputs),)))
    return Story(title, None, tuple(beats))
