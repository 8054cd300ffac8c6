"""`python -P -m inspector.ui.show_image FILE`: prints an image in the terminal.

A separate process, so that decoding untrusted data, and the libraries for it, stay out of the
screen. Needs the extra `images`; exits with 1 on failure.
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
    """Returns the command for a file. `-P`: the working directory must not be importable."""
    return (sys.executable, "-P", "-m", "inspector.ui.show_image", path)


def _limit() -> None:
    """Limits the memory and time that a hostile image can use."""
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
    """Prints the image named by the argument, as large as fits."""
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
