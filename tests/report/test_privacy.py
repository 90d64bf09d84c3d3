"""What gives people away is found; what does not is left alone."""

from __future__ import annotations

import pytest

from believable.report.privacy import matches, without


@pytest.mark.parametrize(
    ("text", "kind", "spot"),
    [
        (
            "write to anna.b+x@uni-example.ac.uk please",
            "e-mail address",
            "anna.b+x@uni-example.ac.uk",
        ),
        ("anna (at) example (dot) org", "e-mail address", "anna (at) example (dot) org"),
        ("call +49 (0) 170 123 45 67 now", "phone number", "+49 (0) 170 123 45 67"),
        ("555-867-5309 is mine", "phone number", "555-867-5309"),
        ("I am 5f9c1e2ab3d4e5f60718293a on there", "recruiter id", "5f9c1e2ab3d4e5f60718293a"),
        ("worker A1B2C3D4E5F6G7", "recruiter id", "A1B2C3D4E5F6G7"),
        ("Hello, my name is anna Schmidt.", "name", "my name is anna Schmidt"),
        ("Ich heiße Jürgen und finde es gut", "name", "Ich heiße Jürgen"),
        ("as Dr. O'Neill said", "name", "Dr. O'Neill"),
        ("Kind regards, Bob Müller-Lang", "name", "regards, Bob Müller-Lang"),
        ("find me: @bob_plays", "profile", "@bob_plays"),
        ("https://www.linkedin.com/in/bob", "profile", "linkedin.com/in/bob"),
        ("I live at 12 Baker Street, London", "street address", "12 Baker Street"),
        ("near 221b, Upper Mill Rd. it was", "street address", "221b, Upper Mill Rd."),
        ("Wir wohnen Hauptstraße 5a hier", "street address", "Hauptstraße 5a"),
        ("au 14 rue de la Paix", "street address", "14 rue de la Paix"),
        ("Anna told me about this", "name", "Anna told me"),
        ("because Jürgen said that it was a bot", "name", "Jürgen said that"),
        ("my friend Anna plays it", "name", "my friend Anna"),
        ("Meine Schwester Anna kennt es", "name", "Meine Schwester Anna"),
        ("I was born on 12.03.1987 in", "date", "12.03.1987"),
        ("born 1987-03-12", "date", "1987-03-12"),
        ("on 12th of March 1987 I", "date", "12th of March 1987"),
        ("from 192.168.0.17 it failed", "network address", "192.168.0.17"),
    ],
)
def test_it_is_found(text: str, kind: str, spot: str) -> None:
    (found,) = matches(text)
    assert found.kind == kind
    assert text[found.start : found.end] == spot


@pytest.mark.parametrize(
    "text",
    [
        "It turned 3 times in 12.5 seconds, at 10:30 and 10:45.",
        "Player B stopped at the wall; version 1.2.3 did not.",
        "The name is not important to me.",
        "My name for it would be robot-like",
        "I rated it 7/10, 8/10, 9/10.",
        "deadbeef",
        "It told me nothing, and Nobody told me what to do.",
        "The first one went down a street, 2 players in a place.",
        "Player said that? They said it looked around.",
        "Human showed me the way; Robot asked us to wait.",
        "In 2020 I played 12 games.",
        "a @ b",
    ],
)
def test_ordinary_reasons_are_left_alone(text: str) -> None:
    assert matches(text) == []


def test_known_recruiter_ids_are_found_whatever_they_look_like() -> None:
    text = "I was student-4711 before"
    (found,) = matches(text, known=lambda word: word == "student-4711")
    assert text[found.start : found.end] == "student-4711"


def test_only_the_chosen_kinds_are_taken_out() -> None:
    text = "I am Dr. Jones, jones@example.org"
    assert (
        without(text, frozenset({"e-mail address"})) == "I am Dr. Jones, [e-mail address removed]"
    )
    assert (
        without(text, frozenset({"name", "e-mail address"}))
        == "I am [name removed], [e-mail address removed]"
    )
