"""Folders of Inspector's own files, private to the user (0700).

platformdirs is imported on first use: painting a screen does not need it.
"""

import stat
from pathlib import Path

_APP = "inspector"


def config_file() -> Path:
    """Returns the path of the user's settings, which need not exist."""
    from platformdirs import user_config_path

    return user_config_path(_APP, appauthor=False) / "config.toml"


def state_dir() -> Path:
    """Returns the state folder. Raises OSError if it cannot be made private."""
    from platformdirs import user_state_path

    return _private(user_state_path(_APP, appauthor=False))


def cache_dir() -> Path:
    """Returns the cache folder. Raises OSError if it cannot be made private."""
    from platformdirs import user_cache_path

    return _private(user_cache_path(_APP, appauthor=False))


def _private(folder: Path) -> Path:
    """Creates `folder` if needed and makes it private: copies of databases may contain secrets."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    if stat.S_IMODE(folder.stat().st_mode) & 0o077:
        folder.chmod(0o700)
    return folder
