"""`python -P -m inspector.ui.show_image FILE`: prints an image as well as the terminal can.

A program of its own, so that decoding what is not trusted, and what that loads, stays outside of
the screen. Needs the extra `images`; ends with exit code 1 where it cannot be done.
"""

from __future__ import annotations

import resource
import sys
from contextlib import suppress
from importlib import import_module
from typing import Any

from inspector.config.log import log_failure

MOST_PIXELS = 50_000_000
_FORMATS = ("PNG", "JPEG", "GIF", "WEBP", "BMP")
_MOST_MEMORY = 2 << 30
_MOST_SECONDS = 30


def words_for(path: str) -> tuple[str, ...]:
    """The words that show a file. `-P`: the folder it runs in is no place to import from."""
    return (sys.executable, "-P", "-m", "inspector.ui.show_image", path)


def _limit() -> None:
    """What a hostile image may cost."""
    for kind, most in ((resource.RLIMIT_AS, _MOST_MEMORY), (resource.RLIMIT_CPU, _MOST_SECONDS)):
        with suppress(OSError, ValueError):
            resource.setrlimit(kind, (most, resource.getrlimit(kind)[1]))


def _opened(path: str) -> Any:
    image_module: Any = import_module("PIL.Image")
    image_module.MAX_IMAGE_PIXELS = MOST_PIXELS
    image = image_module.open(path, formats=_FORMATS)
    image.load()
    return image


def main() -> int:
    """Prints the image that the argument names, as large as the terminal lets it be."""
    _limit()
    console_module: Any = import_module("rich.console")
    try:
        image = _opened(sys.argv[1])
        renderable = import_module("textual_image.renderable").Image
        console = console_module.Console()
        room = max(1, console.height - 3)
        # A cell is about twice as high as it is wide.
        wide = max(1, min(console.width, round(room * 2 * image.width / max(1, image.height))))
        console.print(renderable(image, width=wide, height="auto"))
    except Exception as problem:
        log_failure("decoding an image", problem)
        print(f"Inspector: the image cannot be decoded ({type(problem).__name__}).")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
