"""The commands of a run's screen."""

from __future__ import annotations

from inspector.ui.commands import Command

RUN = "run"

_HERE = (RUN,)

RUN_COMMANDS = (
    Command(
        "enter",
        "Expand or collapse (narrow screens: show details)",
        ("enter",),
        _HERE,
        hint="fold",
    ),
    Command("inward", "Expand, or next scope", ("l", "right"), _HERE),
    Command(
        "outward",
        "Collapse, or outer scope",
        ("h", "left"),
        _HERE,
        hint="scope",
        with_key_of="inward",
    ),
    Command(
        "failure.next",
        "Next failure",
        ("f",),
        _HERE,
        hint="failures",
        with_key_of="failure.previous",
    ),
    Command("failure.previous", "Previous failure", ("F",), _HERE),
    Command(
        "live",
        "Jump to latest and follow",
        (".",),
        _HERE,
        hint="live",
        help="The cursor stays on the newest step until it is moved.",
    ),
    Command(
        "travel.back",
        "Back by one event",
        ("[",),
        _HERE,
        hint="travel",
        help="Shows the run as it was recorded then.",
        with_key_of="travel.forward",
    ),
    Command("travel.forward", "Forward by one event", ("]",), _HERE),
    Command(
        "travel.step-back",
        "Back to where a step began",
        ("{",),
        _HERE,
        hint="step",
        with_key_of="travel.step-forward",
    ),
    Command("travel.step-forward", "Forward to where a step begins", ("}",), _HERE),
    Command(
        "pause",
        "Pause or resume updates",
        ("space",),
        _HERE,
        hint="pause",
        help="While travelling, plays the events one by one.",
    ),
    Command("idle", "Show or hide idle gaps", ("i",), _HERE, hint="show idle"),
    Command(
        "axis",
        "Order of events or time",
        ("o",),
        _HERE,
        hint="order",
        help="Time needs recorded times.",
    ),
    Command("zoom", "Maximize pane", ("z",), _HERE, hint="zoom"),
    Command("pane", "Next pane", ("tab",), _HERE),
    Command("copy.value", "Copy the selection", ("y",), _HERE, hint="copy"),
    Command("copy.location", "Copy its location", ("Y",), _HERE, hint="copy location"),
    Command(
        "form",
        "Switch formatted / raw",
        ("m",),
        _HERE,
        hint="raw",
        help="Formatted: indented JSON, rendered Markdown. Raw: the recorded text.",
    ),
    Command(
        "pager",
        "Open the whole value in $PAGER",
        ("p",),
        _HERE,
        hint="pager",
        help="The pager gets a private copy with secrets masked.",
    ),
    Command("picture", "Show this image in the terminal", ("P",), _HERE, hint="picture"),
    Command(
        "save",
        "Save the whole value to a file",
        ("S",),
        _HERE,
        hint="save",
        help="Secrets are masked. Existing files are never overwritten.",
    ),
    Command("raw", "Show the database row", ("w",), _HERE, hint="row"),
    Command(
        "sql",
        "Query the run's database in SQL",
        ("s",),
        _HERE,
        hint="sql",
        help="One SELECT, read-only, at most 1,000 rows and 5 seconds. Esc cancels.",
    ),
    Command(
        "step-of",
        "Go to the step that wrote this value",
        ("t",),
        _HERE,
        hint="its step",
    ),
    Command(
        "versions",
        "Show or hide older rows of values",
        ("v",),
        _HERE,
        hint="older",
        help="A value that was overwritten keeps its older rows.",
    ),
    Command("find", "Filter by name", ("/",), _HERE, hint="filter"),
    *(
        Command(
            f"tab:{number}",
            "Tab by number, 0 for the tenth",
            (str(number % 10),),
            _HERE,
            in_palette=False,
            listed=number == 1,
        )
        for number in range(1, 11)
    ),
)
