"""A published source: as a line of a list of references and as BibTeX."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Citation:
    """A published source; authors as `Family, Given names`. `note` says how it is used, and which
    facts are unknown.
    """

    key: str
    title: str
    authors: tuple[str, ...] = ()
    year: int | None = None
    venue: str = ""
    doi: str = ""
    note: str = ""

    @property
    def words(self) -> str:
        """As one line of a list of references."""
        who = f"{_list_authors(self.authors)} " if self.authors else ""
        when = f"({self.year}). " if self.year is not None else ""
        parts = [f"{who}{when}{self.title}.", f"{self.venue}." if self.venue else ""]
        parts.append(f"https://doi.org/{self.doi}" if self.doi else "")
        return " ".join(part for part in parts if part)

    @property
    def bibtex(self) -> str:
        kind, where = ("inproceedings", "booktitle") if self.venue else ("misc", "howpublished")
        fields = {
            "author": " and ".join(self.authors),
            "title": f"{{{self.title}}}",
            where: self.venue,
            "year": "" if self.year is None else str(self.year),
            "doi": self.doi,
            "note": self.note,
        }
        rows = [f"  {name} = {{{value}}}" for name, value in fields.items() if value]
        return f"@{kind}{{{self.key},\n" + ",\n".join(rows) + "\n}\n"


def _list_authors(authors: tuple[str, ...]) -> str:
    """`("Gorman, Bernard", "Thurau, Christian")` → `Gorman, B. & Thurau, C.`"""
    short = []
    for author in authors:
        family, _, first_names = author.partition(", ")
        short.append(
            f"{family}, {' '.join(f'{name[0]}.' for name in first_names.split())}"
            if first_names
            else family
        )
    return short[0] if len(short) == 1 else f"{', '.join(short[:-1])} & {short[-1]}"
