"""Built-in words of device checks and quality tests."""

from __future__ import annotations

from collections.abc import Mapping

ENGLISH: Mapping[str, str] = {
    "device.title": "Is your computer ready?",
    "device.sound": "Put on your headphones, play the tones, and type how many you hear.",
    "device.play": "Play the tones",
    "device.wheel": "Turn the wheel of your mouse a few notches.",
    "device.turned": "The wheel works.",
    "device.waiting": "Waiting for the wheel.",
    "device.none": "I have no wheel",
    "device.no_wheel": "You have no wheel.",
    "error.heard": "This is not the number of tones. Please listen again.",
    "error.wheel": "This study needs a mouse with a wheel.",
    "qa.title": "A short test",
    "qa.text.visual": (
        "You see a green surface that gets brighter and darker. Follow its brightness: up when it gets "
        "brighter, down when it gets darker, and nothing while it stays the same."
    ),
    "qa.text.auditory": (
        "You hear a tone that gets higher and lower. Follow its pitch: up when it gets higher, down when "
        "it gets lower, and nothing while it stays the same. Please put on your headphones."
    ),
    "qa.prompt.visual": "Indicate the changes in brightness",
    "qa.prompt.auditory": "Indicate the changes in pitch",
    "qa.first": "You can go on when the test is over.",
    "qa.warning": (
        "In the test your inputs often did not follow the changes. Please pay attention to every change "
        "from here on."
    ),
    "media.listen": "Listen to the tone",
}

GERMAN: Mapping[str, str] = {
    "device.title": "Ist Ihr Computer bereit?",
    "device.sound": (
        "Setzen Sie Ihre Kopfhörer auf, spielen Sie die Töne ab und geben Sie ein, wie viele Sie hören."
    ),
    "device.play": "Töne abspielen",
    "device.wheel": "Drehen Sie das Rad Ihrer Maus um einige Stufen.",
    "device.turned": "Das Mausrad funktioniert.",
    "device.waiting": "Das Mausrad wurde noch nicht gedreht.",
    "device.none": "Ich habe kein Mausrad",
    "device.no_wheel": "Sie haben kein Mausrad.",
    "error.heard": "Das ist nicht die Anzahl der Töne. Bitte hören Sie noch einmal hin.",
    "error.wheel": "Für diese Studie braucht man eine Maus mit Rad.",
    "qa.title": "Ein kurzer Test",
    "qa.text.visual": (
        "Sie sehen eine grüne Fläche, die heller und dunkler wird. Folgen Sie ihrer Helligkeit: nach "
        "oben, wenn sie heller wird, nach unten, wenn sie dunkler wird, und gar nicht, solange sie gleich "
        "bleibt."
    ),
    "qa.text.auditory": (
        "Sie hören einen Ton, der höher und tiefer wird. Folgen Sie seiner Höhe: nach oben, wenn er höher "
        "wird, nach unten, wenn er tiefer wird, und gar nicht, solange er gleich bleibt. Bitte setzen Sie "
        "Ihre Kopfhörer auf."
    ),
    "qa.prompt.visual": "Zeigen Sie die Änderungen der Helligkeit an",
    "qa.prompt.auditory": "Zeigen Sie die Änderungen der Tonhöhe an",
    "qa.first": "Sie können weitergehen, wenn der Test vorbei ist.",
    "qa.warning": (
        "Im Test folgten Ihre Eingaben den Änderungen oft nicht. Bitte achten Sie von hier an auf jede "
        "Änderung."
    ),
    "media.listen": "Hören Sie auf den Ton",
}
