"""Every runtime that is understood, in one place: a further one is a folder and a line here."""

from inspector.query.backend import Backend
from inspector.query.grimoire.backend import Grimoire
from inspector.query.openprose.backend import OpenProse
from inspector.query.prism.backend import Prism

BACKENDS: tuple[Backend, ...] = (OpenProse(), Grimoire(), Prism())
