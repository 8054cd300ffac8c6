"""What is installed is whole: it works from any folder, without the checkout."""

import subprocess
import sys
import sysconfig
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

pytestmark = pytest.mark.slow


def build(kind: str, source: Path, to: Path) -> Path:
    """Builds `sdist` or `wheel` with what is installed here, so without a network."""
    command = [sys.executable, "-m", "hatchling", "build", "--target", kind, "--directory", str(to)]
    run = subprocess.run(command, cwd=source, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout + run.stderr
    (built,) = to.iterdir()
    return built


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built from the source distribution, as an installer does."""
    folder = tmp_path_factory.mktemp("wheel")
    sdist = build("sdist", ROOT, folder / "sdist")
    with tarfile.open(sdist) as packed:
        assert not [name for name in packed.getnames() if name.endswith(".tar.xz")]
        packed.extractall(folder, filter="data")
    (source,) = folder.glob("*/pyproject.toml")
    return build("wheel", source.parent, folder / "wheel")


@pytest.fixture(scope="module")
def python(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The interpreter of an environment that has the wheel and its dependencies only."""
    environment = tmp_path_factory.mktemp("environment")
    venv.create(environment, with_pip=False, symlinks=True)
    paths = sysconfig.get_paths("venv", vars={"base": str(environment)})
    installed = Path(paths["purelib"])
    zipfile.ZipFile(wheel).extractall(installed)
    # The dependencies lie where the tests have them. Python reads no .pth there, so the editable
    # checkout stays out of sight.
    (installed / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return Path(paths["scripts"]) / "python"


def output(python: Path, folder: Path, *arguments: str) -> str:
    command = [str(python), "-I", *arguments]
    run = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    return run.stdout.strip()


def test_wheel_holds_every_file_and_style(wheel: Path) -> None:
    held = set(zipfile.ZipFile(wheel).namelist())
    files = {file for file in (ROOT / "inspector").rglob("*") if file.is_file()}
    package = {str(file.relative_to(ROOT)) for file in files if "__pycache__" not in file.parts}
    styles = {f"inspector/styles/{file.name}" for file in (ROOT / "styles").glob("*.tcss")}
    assert "inspector/py.typed" in package
    assert package | styles <= held
    assert not [name for name in held if name.startswith(("tests/", "styles/"))]


def test_wheel_imports_from_itself(python: Path, tmp_path: Path) -> None:
    found = output(python, tmp_path, "-c", "import inspector; print(inspector.__file__)")
    assert Path(found).is_relative_to(python.parents[1])


def test_wheel_runs_from_any_folder(python: Path, tmp_path: Path) -> None:
    version = output(python, tmp_path, "-c", "import inspector; print(inspector.__version__)")
    assert version in output(python, tmp_path, "-m", "inspector", "--version")
    command = (
        "from importlib.metadata import entry_points;"
        "(ours,) = entry_points(group='console_scripts', name='inspector');"
        "import sys; sys.argv = ['inspector', '--version']; sys.exit(ours.load()())"
    )
    assert version in output(python, tmp_path, "-c", command)
