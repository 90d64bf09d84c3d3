"""Datasets of two laboratories become one: every row once, with its site, and verified."""

from __future__ import annotations

import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import frictionless
import pytest

from believable.bundle.joining import join_bundles
from believable.bundle.read import Bundle, read
from believable.bundle.session_records import CollectedSession
from believable.bundle.write import write
from believable.core.errors import InvalidInput


@pytest.fixture(scope="module")
def sites(
    making: Any,
    some_sessions: tuple[CollectedSession, ...],
    tmp_path_factory: pytest.TempPathFactory,
) -> dict[str, Bundle]:
    folder = tmp_path_factory.mktemp("sites")
    for name, ours in (("berlin", some_sessions[:2]), ("paris", some_sessions[2:])):
        numbered = [
            replace(one, session=replace(one.session, number=number))
            for number, one in enumerate(ours, start=1)
        ]
        write(making.study(withdrawn=1), numbered, folder / name)
    return {name: read(folder / name) for name in ("berlin", "paris")}


@pytest.fixture(scope="module")
def joined(sites: dict[str, Bundle], tmp_path_factory: pytest.TempPathFactory) -> Bundle:
    folder = tmp_path_factory.mktemp("joined") / "both"
    written = join_bundles(sites, folder)
    assert written.sessions == 6
    return read(folder)


def test_every_session_is_there_with_its_site_and_a_number_of_its_own(
    joined: Bundle, some_sessions: tuple[CollectedSession, ...]
) -> None:
    rows = list(joined["participants"].rows())
    assert [row["session"] for row in rows] == [one.session.id for one in some_sessions]
    assert [row["site"] for row in rows] == ["berlin"] * 2 + ["paris"] * 4
    assert [row["number"] for row in rows] == [1, 2, 3, 4, 5, 6]
    assert joined.withdrawn == 2


def test_rows_of_sessions_are_those_of_the_sites_and_of_stimuli_come_once(
    joined: Bundle, sites: dict[str, Bundle]
) -> None:
    for name in ("trials", "answers", "traces", "views", "shown", "judgements", "flags"):
        parts = [row for bundle in sites.values() for row in bundle[name].rows()]
        assert list(joined[name].rows()) == parts
    assert list(joined["actions"].rows()) == list(sites["berlin"]["actions"].rows())


def test_the_raw_events_lead_to_the_same_receipts(joined: Bundle, sites: dict[str, Bundle]) -> None:
    """`read` has verified every chain; here nothing is missing."""
    parts = [event for bundle in sites.values() for event in bundle.events()]
    assert list(joined.events()) == parts
    strays = [stray for bundle in sites.values() for stray in bundle.strays()]
    assert list(joined.strays()) == strays
    assert joined.definitions == sites["berlin"].definitions


def test_a_joined_dataset_is_a_valid_package(joined: Bundle) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        report = frictionless.Package(str(joined.folder / "datapackage.json")).validate()
    assert report.valid, report.flatten(["name", "type", "note"])


def test_a_session_counts_once(sites: dict[str, Bundle], tmp_path: Path) -> None:
    session = sites["berlin"]["participants"]["session"].values[0]
    with pytest.raises(InvalidInput, match=f"session {session} is in a and in b"):
        join_bundles({"a": sites["berlin"], "b": sites["berlin"]}, tmp_path / "twice")
    assert not (tmp_path / "twice").exists()


def test_one_dataset_a_joined_one_or_a_mixture_of_kinds_is_refused(
    sites: dict[str, Bundle], joined: Bundle, tmp_path: Path
) -> None:
    for wrong, reason in (
        ({"a": sites["berlin"]}, "two datasets or more"),
        ({"a": joined, "b": sites["berlin"]}, "has been joined already"),
        (
            {"a": sites["berlin"], "b": replace(sites["paris"], simulated=True)},
            "real and some are simulated",
        ),
    ):
        with pytest.raises(InvalidInput, match=reason):
            join_bundles(wrong, tmp_path / "refused")


def test_exclusions_of_the_analysis_are_found_anew_and_decisions_stay(
    sites: dict[str, Bundle], joined: Bundle
) -> None:
    decided = [
        (row["session"], row["reason"])
        for bundle in sites.values()
        for row in bundle["exclusions"].rows()
        if row["reason"] not in ("failed_check", "unanswered", "too_fast")
    ]
    kept = [(row["session"], row["reason"]) for row in joined["exclusions"].rows()]
    assert kept == decided
