"""Which runs are asked for, and where in a text the words that were asked for stand."""

from __future__ import annotations

from dataclasses import dataclass

from inspector.model.run import Run


@dataclass(frozen=True, slots=True)
class Words:
    """What was typed: a run is meant when each word is somewhere in what the list shows of it."""

    words: tuple[str, ...] = ()

    @classmethod
    def typed(cls, text: str) -> Words:
        """The words of a text, without regard to case."""
        return cls(tuple(dict.fromkeys(text.casefold().split())))

    def __bool__(self) -> bool:
        return bool(self.words)

    def match(self, run: Run) -> bool:
        """Whether every word is in the title, run id, runtime, session or status of a run."""
        return self.match_text(searched(run)) if self.words else True

    def match_text(self, text: str) -> bool:
        """The same for a text that `searched` gave."""
        return all(word in text for word in self.words)

    def spans(self, text: str) -> list[tuple[int, int]]:
        """Where the words stand in a text: start and end, ascending and apart."""
        folded = text.casefold()
        # Folding may change lengths (`ß`); then places in one text say nothing about the other.
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


def searched(run: Run) -> str:
    """What a run's words are looked for in, without regard to case."""
    shown = (run.title, run.run_id, run.runtime, run.session, run.status, run.raw_status)
    return "\n".join(part for part in shown if part).casefold()
