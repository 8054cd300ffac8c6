"""The run filter: matching runs and the matched parts of a text."""

from __future__ import annotations

from dataclasses import dataclass

from inspector.model.run import Run


@dataclass(frozen=True, slots=True)
class Words:
    """Filter words; a run matches if its text in the list contains every word."""

    words: tuple[str, ...] = ()

    @classmethod
    def typed(cls, text: str) -> Words:
        """Splits typed text into words, ignoring case."""
        return cls(tuple(dict.fromkeys(text.casefold().split())))

    def __bool__(self) -> bool:
        return bool(self.words)

    def match(self, run: Run) -> bool:
        """True if every word is in the title, run id, runtime, session or status of a run."""
        return self.match_text(searchable(run)) if self.words else True

    def match_text(self, text: str) -> bool:
        """Like `match`, for the result of `searchable`."""
        return all(word in text for word in self.words)

    def spans(self, text: str) -> list[tuple[int, int]]:
        """Returns start and end of the matches in a text, ascending and disjoint."""
        folded = text.casefold()
        # Case folding may change lengths (`ß`): then offsets do not carry over.
        if not self.words or len(folded) != len(text):
            return []
        found: list[tuple[int, int]] = []
        for word in self.words:
            start = folded.find(word)
            while start >= 0:
                found.append((start, start + len(word)))
                start = folded.find(word, start + len(word))
        merged: list[tuple[int, int]] = []
        for start, end in sorted(found):
            if merged and start <= merged[-1][1]:
                merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
            else:
                merged.append((start, end))
        return merged


def searchable(run: Run) -> str:
    """Returns the case-folded text that filter words are looked up in."""
    shown = (run.title, run.run_id, run.runtime, run.session, run.status, run.raw_status)
    return "\n".join(part for part in shown if part).casefold()
