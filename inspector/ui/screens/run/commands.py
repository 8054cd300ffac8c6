"""What can be done on the screen of a run."""

from __future__ import annotations

from inspector.ui.commands import Command

RUN = "run"

_HERE = (RUN,)

RUN_COMMANDS = (
    Command(
        "enter",
        "Fold or unfold; the detail where there is no room beside",
        ("enter",),
        _HERE,
        hint="fold",
    ),
    Command("inward", "Unfold, or the next scope", ("l", "right"), _HERE),
    Command(
        "outward",
        "Fold, or the scope around",
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
        "Return to now, to the step where something happens",
        (".",),
        _HERE,
        hint="live",
        help="From there on the newest step has the cursor, until it is moved.",
    ),
    Command(
        "travel.back",
        "Back by one event",
        ("[",),
        _HERE,
        hint="travel",
        help="Shows the run as its record stood then.",
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
        "Hold the screen still, or go on",
        ("space",),
        _HERE,
        hint="pause",
        help="While travelling it plays the events one by one.",
    ),
    Command("idle", "Show or cut out idle stretches", ("i",), _HERE, hint="show idle"),
    Command(
        "axis",
        "Order of events or time",
        ("o",),
        _HERE,
        hint="order",
        help="Time is there only where instants are recorded.",
    ),
    Command("zoom", "This pane alone, or all panes", ("z",), _HERE, hint="zoom"),
    Command("pane", "The next pane", ("tab",), _HERE),
    Command("copy.value", "Copy the text under the cursor", ("y",), _HERE, hint="copy"),
    Command("copy.location", "Copy where it is recorded", ("Y",), _HERE, hint="copy location"),
    Command(
        "form",
        "A value as it reads, or as it stands",
        ("m",),
        _HERE,
        hint="as it stands",
        help="JSON is laid out, Markdown has no marks; as it stands nothing is added.",
    ),
    Command(
        "pager",
        "Open the whole value in $PAGER",
        ("p",),
        _HERE,
        hint="pager",
        help="What the pager is given is a private copy, with secrets masked as on the screen.",
    ),
    Command("picture", "Show this image in the terminal", ("P",), _HERE, hint="picture"),
    Command(
        "save",
        "Save the whole value in a file",
        ("S",),
        _HERE,
        hint="save",
        help="Secrets in it are masked. A file that exists is never written over.",
    ),
    Command("raw", "The recorded row as it stands", ("w",), _HERE, hint="raw row"),
    Command(
        "sql",
        "Ask the run's own database in SQL",
        ("s",),
        _HERE,
        hint="sql",
        help="One SELECT, read only, at most 1,000 rows and 5 seconds; esc gives it up.",
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
        "Older rows of every value, or only the newest",
        ("v",),
        _HERE,
        hint="older",
        help="A value that was written again keeps its older rows.",
    ),
    Command("find", "Filter by name", ("/",), _HERE, hint="filter"),
    *(
        Command(
            f"tab:{number}",
            "The tab with this number, 0 for the tenth",
            (str(number % 10),),
            _HERE,
            in_palette=False,
            listed=number == 1,
        )
        for number in range(1, 11)
    ),
)
