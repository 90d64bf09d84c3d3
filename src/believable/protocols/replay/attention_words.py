"""Words of the questions about a day: parts of the day, what is done in the town, and what nobody does in it."""

from __future__ import annotations

from collections.abc import Mapping

#: What nobody does on any of these days, as plausible as what is done.
ELSEWHERE: Mapping[str, str] = {
    "painting the bakery's door": "die Tür der Bäckerei streichen",
    "returning a library card": "einen Bibliotheksausweis zurückgeben",
    "rehearsing a play": "ein Theaterstück proben",
    "playing chess in the park": "im Park Schach spielen",
    "buying a newspaper": "eine Zeitung kaufen",
    "watching a film": "einen Film ansehen",
    "calling a friend": "eine Freundin anrufen",
    "knitting a scarf": "einen Schal stricken",
    "baking biscuits at home": "zu Hause Kekse backen",
    "cleaning the windows": "die Fenster putzen",
}

#: Part of the day → what is asked, from and to which hour, and which answers are wrong.
DAY_PARTS: Mapping[str, tuple[Mapping[str, str], float, float, tuple[str, ...]]] = {
    "afternoon": (
        {
            "en": "Which of these did the character do between one and half past five in the afternoon?",
            "de": "Was davon tat die Figur zwischen eins und halb sechs am Nachmittag?",
        },
        13,
        17.5,
        (
            "returning a library card",
            "rehearsing a play",
            "playing chess in the park",
            "buying a newspaper",
            "painting the bakery's door",
        ),
    ),
    "evening": (
        {
            "en": "Which of these did the character do after half past five in the evening?",
            "de": "Was davon tat die Figur nach halb sechs am Abend?",
        },
        17.5,
        24,
        ("watching a film", "calling a friend", "knitting a scarf", "baking biscuits at home", "cleaning the windows"),
    ),
}

#: What is done in the town and may be asked about: nothing that anybody does on any day, and nothing that the briefing tells.
GERMAN: Mapping[str, str] = {
    "writing notes": "Notizen machen",
    "practising the piano": "Klavier üben",
    "reading the notices": "die Aushänge lesen",
    "choosing vegetables": "Gemüse aussuchen",
    "chatting with the grocer": "sich mit der Kauffrau unterhalten",
    "weeding the flower bed": "im Blumenbeet Unkraut jäten",
    "feeding the ducks": "die Enten füttern",
    "resting on a bench": "sich auf einer Bank ausruhen",
    "eating dinner with friends": "mit Freunden zu Abend essen",
    "talking on the terrace": "sich auf der Terrasse unterhalten",
    "cooking a stew": "einen Eintopf kochen",
    "clearing the table": "den Tisch abräumen",
    "writing letters": "Briefe schreiben",
    "reading a novel": "einen Roman lesen",
}
