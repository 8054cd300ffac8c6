"""What people rely on: what we keep is private."""

import stat
import sys
from pathlib import Path

import pytest

from inspector.config.folders import cache_dir, config_file, state_dir

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="XDG names the folders on Linux")


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for kind in ("CONFIG", "STATE", "CACHE"):
        monkeypatch.setenv(f"XDG_{kind}_HOME", str(tmp_path / kind.lower()))
    return tmp_path


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_folders_are_made_for_their_owner_only(home: Path) -> None:
    assert state_dir() == home / "state" / "inspector"
    assert cache_dir() == home / "cache" / "inspector"
    assert mode(state_dir()) == mode(cache_dir()) == 0o700


def test_a_folder_that_was_open_is_closed(home: Path) -> None:
    folder = home / "state" / "inspector"
    folder.mkdir(parents=True)
    folder.chmod(0o755)
    state_dir()
    assert mode(folder) == 0o700


def test_asking_where_settings_are_makes_nothing(home: Path) -> None:
    assert config_file() == home / "config" / "inspector" / "config.toml"
    assert list(home.iterdir()) == []
