"""Every runtime that is understood, in one place: a further one is a folder and a line here."""

from inspector.query.backend import Backend
from inspector.query.grimoire.store_reader import Grimoire
from inspector.query.openprose.store_reader import OpenProse
from inspector.query.prism.store_reader import Prism

BACKENDS: tuple[Backend, ...] = (OpenProse(), Grimoire(), Prism())
