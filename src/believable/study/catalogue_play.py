"""Built-in words of rounds that people play."""

from __future__ import annotations

from collections.abc import Mapping

ENGLISH: Mapping[str, str] = {
    "play.title": "Play a round",
    "play.practice_title": "Learn the controls",
    "play.text": (
        "You are the **blue** figure. The **red** opponent hunts you: it is faster than you, and its touch ends your life. "
        "You score points when you hurt it, and more when you defeat it. After a defeat both start again from their places; "
        "the clock runs on."
    ),
    "play.practice_text": (
        "Try everything for as long as you like: nothing counts here. You are the **blue** figure, the **red** one hunts you."
    ),
    "play.keys.walk": "Walk",
    "play.keys.walk_with": "W A S D or arrow keys",
    "play.keys.aim": "Look and aim",
    "play.keys.aim_with": "Mouse; without one you look where you walk",
    "play.keys.shoot": "Shoot",
    "play.keys.shoot_with": "Space or left mouse button",
    "play.keys.bomb": "Throw a bomb",
    "play.keys.bomb_with": "B, Shift or right mouse button",
    "play.keys.bomb_note": "Bombs explode and leave fire that burns both of you.",
    "play.keys.view": "The yellow cone is your field of vision.",
    "play.start": "Start the round",
    "play.practice_start": "Start practising",
    "play.ready": "I am ready",
    "play.again": "Continue",
    "play.connecting": "Connecting…",
    "play.lost": "Connection lost – paused",
    "play.lost_text": "The round goes on where it stood as soon as the connection is back.",
    "play.restart_text": "The round begins again as soon as the connection is back.",
    "play.hidden": "Paused",
    "play.hidden_text": "The round goes on when you continue.",
    "play.elsewhere": "This round goes on in another tab or on another device.",
    "play.count": "Get ready",
    "play.over": "Time is up!",
    "play.over_text": "You scored {score} points.",
    "play.saving": "Your round is being saved…",
    "play.caught": "Caught!",
    "play.defeated": "Opponent defeated! +100",
    "play.killed": "You burned!",
    "play.score": "Score",
    "play.time": "Time",
    "play.you": "You",
    "play.opponent": "Opponent",
    "play.bomb_ready": "Bomb ready",
    "play.bomb_waiting": "Bomb in {seconds} s",
    "play.label": "The maze from above: you in blue, the opponent in red",
    "error.play": "Please play the round to its end first.",
}

GERMAN: Mapping[str, str] = {
    "play.title": "Spielen Sie eine Runde",
    "play.practice_title": "Lernen Sie die Steuerung",
    "play.text": (
        "Sie sind die **blaue** Figur. Der **rote** Gegner jagt Sie: Er ist schneller als Sie, und seine Berührung kostet Sie "
        "das Leben. Sie bekommen Punkte, wenn Sie ihn verletzen, und mehr, wenn Sie ihn besiegen. Danach beginnen beide wieder "
        "an ihren Plätzen; die Uhr läuft weiter."
    ),
    "play.practice_text": (
        "Probieren Sie alles aus, so lange Sie möchten: Hier zählt noch nichts. Sie sind die **blaue** Figur, die **rote** "
        "jagt Sie."
    ),
    "play.keys.walk": "Gehen",
    "play.keys.walk_with": "W A S D oder Pfeiltasten",
    "play.keys.aim": "Blicken und zielen",
    "play.keys.aim_with": "Maus; ohne Maus blicken Sie, wohin Sie gehen",
    "play.keys.shoot": "Schießen",
    "play.keys.shoot_with": "Leertaste oder linke Maustaste",
    "play.keys.bomb": "Bombe werfen",
    "play.keys.bomb_with": "B, Umschalttaste oder rechte Maustaste",
    "play.keys.bomb_note": "Bomben explodieren und hinterlassen Feuer, das beide verbrennt.",
    "play.keys.view": "Der gelbe Kegel ist Ihr Blickfeld.",
    "play.start": "Runde beginnen",
    "play.practice_start": "Üben",
    "play.ready": "Ich bin bereit",
    "play.again": "Weiterspielen",
    "play.connecting": "Verbindung wird aufgebaut…",
    "play.lost": "Verbindung unterbrochen – angehalten",
    "play.lost_text": "Die Runde geht weiter, wo sie stand, sobald die Verbindung wieder da ist.",
    "play.restart_text": "Die Runde beginnt von vorn, sobald die Verbindung wieder da ist.",
    "play.hidden": "Angehalten",
    "play.hidden_text": "Die Runde geht weiter, wenn Sie weiterspielen.",
    "play.elsewhere": "Diese Runde geht in einem anderen Tab oder auf einem anderen Gerät weiter.",
    "play.count": "Gleich geht es los",
    "play.over": "Die Zeit ist um!",
    "play.over_text": "Sie haben {score} Punkte.",
    "play.saving": "Ihre Runde wird gespeichert…",
    "play.caught": "Erwischt!",
    "play.defeated": "Gegner besiegt! +100",
    "play.killed": "Verbrannt!",
    "play.score": "Punkte",
    "play.time": "Zeit",
    "play.you": "Sie",
    "play.opponent": "Gegner",
    "play.bomb_ready": "Bombe bereit",
    "play.bomb_waiting": "Bombe in {seconds} s",
    "play.label": "Das Labyrinth von oben: Sie in Blau, der Gegner in Rot",
    "error.play": "Bitte spielen Sie die Runde zuerst zu Ende.",
}
