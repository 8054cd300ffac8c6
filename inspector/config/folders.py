"""Where our own files live; each folder is for its owner only (0700).

platformdirs loads when a folder is first asked for: it is not needed to paint a screen.
"""

import stat
from pathlib import Path

_APP = "inspector"


def config_file() -> Path:
    """The settings of this user; it need not exist."""
    from platformdirs import user_config_path

    return user_config_path(_APP, appauthor=False) / "config.toml"


def state_dir() -> Path:
    """What must outlive a restart and is no setting. Raises OSError when it cannot be private."""
    from platformdirs import user_state_path

    return _private(user_state_path(_APP, appauthor=False))


def cache_dir() -> Path:
    """What may be deleted at any time. Raises OSError when it cannot be private."""
    from platformdirs import user_cache_path

    return _private(user_cache_path(_APP, appauthor=False))


def _private(folder: Path) -> Path:
    """`folder`, made if needed, closed to others: copies of databases may hold secrets."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    if stat.S_IMODE(folder.stat().st_mode) & 0o077:
        folder.chmod(0o700)
    return folder
