"""The smallest application that Textual allows: what a first paint costs at least.

python -m benchmarks.bare
"""

from textual.app import App, ComposeResult
from textual.widgets import Static


class Bare(App[None]):
    """One line of text."""

    def compose(self) -> ComposeResult:
        """The line."""
        yield Static("a bare application with a single line")


if __name__ == "__main__":
    Bare().run()
