"""Every runtime that is understood, in one place: a further one is a folder and a line here."""

from inspector.query.backend import Backend
from inspector.query.openprose.store_reader import OpenProse

BACKENDS: tuple[Backend, ...] = (OpenProse(),)
