"""The built-in words of the participant's pages, one complete set per language. A study overrides any of them in `texts:`.

`{names}` in a text are filled in; an override may leave one out but not invent one.
"""

from __future__ import annotations

from collections.abc import Mapping

from believable.study import catalogue_play, catalogue_quality, catalogue_several

ENGLISH: Mapping[str, str] = {
    "language.name": "English",
    "language.label": "Language",
    # ------------------------------------------------------------------------------ before the study
    "landing.lead": (
        "Thank you for your interest in this study. It runs in this window; you can stop at any time."
    ),
    "landing.start": "Start",
    "landing.resume": "I have a code to continue",
    "landing.preview": "This is a preview. Nothing you enter is counted.",
    "landing.simulated": "This link is for simulated participants. Nothing you enter counts as real.",
    "landing.desktop_only": (
        "Please open this link on a desktop or laptop computer. The study does not fit on a phone or tablet."
    ),
    "resume.title": "Continue where you stopped",
    "resume.text": "Enter the code you were given when you paused.",
    "resume.label": "Your code",
    "resume.button": "Continue",
    "resume.unknown": "This code is not known here. Please compare it with what you wrote down.",
    "resume.too_many": "Too many tries. Please wait a few minutes and try again.",
    # ------------------------------------------------------------------------------ no entry
    "refused.closed.title": "This study is closed",
    "refused.closed.text": "It takes no more participants. Thank you for your interest.",
    "refused.paused.title": "This study is paused",
    "refused.paused.text": "Please try the same link again later.",
    "refused.full.title": "This study is complete",
    "refused.full.text": "Enough people have taken part. Thank you for your interest.",
    "refused.taken.title": "You have taken part already",
    "refused.taken.text": "Each person can take part once. Thank you for your help.",
    "refused.used.title": "This link has been used",
    "refused.used.text": (
        "A personal link works once. Use your code to continue, or ask the person who sent it to you."
    ),
    "refused.desktop.title": "A larger screen is needed",
    "refused.desktop.text": "Please open this link on a desktop or laptop computer.",
    "refused.identity.title": "Please come through your platform's link",
    "refused.identity.text": (
        "This address lacks your participant id. Go back to the platform you came from and open the "
        "study from there."
    ),
    "refused.resume.title": "This session cannot be continued",
    "refused.resume.text": (
        "In this study a session that was left cannot be taken up again. What you answered until then "
        "is stored."
    ),
    "refused.withdrawn.title": "Your data have been deleted",
    "refused.withdrawn.text": "You withdrew from this study. Nothing you entered is kept.",
    "refused.unknown.title": "This link does not lead to a study",
    "refused.unknown.text": "Please compare the address with the one you were given.",
    # ------------------------------------------------------------------------------ every page
    "page.skip": "Skip to the content",
    "page.demonstration": "Demonstration stimuli",
    "page.javascript": "This study needs JavaScript. Please allow it for this page and reload.",
    "page.not_found.title": "Page not found",
    "page.not_found.text": "There is nothing at this address. Please compare it with the one you were given.",
    "page.method.title": "This does not work here",
    "page.method.text": "Please go back and use the buttons on the page.",
    "page.error.title": "Something went wrong on our side",
    "page.error.text": "Nothing you answered is lost. Please reload the page in a moment.",
    "page.too_many.title": "Too many tries",
    "page.too_many.text": "Please wait a few minutes and try again.",
    "progress.label": "Progress",
    "progress.value": "Step {n} of {total}",
    "button.next": "Continue",
    "button.close": "Close",
    "button.cancel": "Cancel",
    "button.reload": "Reload the page",
    "button.copy": "Copy",
    "button.copied": "Copied",
    # ------------------------------------------------------------------------------ saving
    "status.saved": "Saved",
    "status.saving": "Saving…",
    # These have two lines at the top of the page, whatever its width.
    "status.offline": "Offline. Your answers are safe here and will be sent later.",
    "status.full": "The server cannot store more right now. Your answers are safe here.",
    "status.memory": "Please keep this page open until the end: your browser stores nothing.",
    "status.conflict": "Your answers differ from the server's. Please tell the researchers.",
    "status.refused": "The server refused an answer. Please tell the researchers.",
    # ------------------------------------------------------------------------------ tabs
    "taken.title": "The study is open in another tab or on another device",
    "taken.text": (
        "It goes on there. Your answers until now are kept. You can close this tab, or continue here instead."
    ),
    "taken.button": "Continue here",
    # ------------------------------------------------------------------------------ later, withdraw
    "later.button": "Continue later",
    "later.title": "Continue later",
    "later.text": "Your answers are stored. Come back with this link, or enter the code, on any device.",
    "later.forbidden": (
        "This study has to be done in one go: a session that is left cannot be taken up again."
    ),
    "later.unsent": "Some answers are not sent yet. Please wait until “Saved” is shown before you leave.",
    "later.link": "Your personal link",
    "later.code": "Your code",
    "later.where": "Enter the code at",
    "withdraw.button": "Withdraw",
    "withdraw.title": "Withdraw and delete my data?",
    "withdraw.text": (
        "Everything you answered in this study will be deleted at once. This cannot be undone, and no "
        "completion code is given."
    ),
    "withdraw.confirm": "Withdraw and delete",
    "withdraw.failed": (
        "This did not work, probably because there is no connection. Nothing is deleted yet. Please "
        "try again."
    ),
    "withdraw.done.title": "Your data have been deleted",
    "withdraw.done.text": "You have withdrawn from the study. You can close this window.",
    # ------------------------------------------------------------------------------ trials
    "consent.title": "Your consent",
    "consent.adult": "I am at least 18 years old.",
    "consent.agree": "I have read the information above and agree to take part.",
    "consent.accept": "Take part",
    "consent.decline": "I do not agree",
    "watch.title": "Please watch the video",
    "watch.questions": "Your answers",
    "watch.first": "The questions appear when you have watched the video to the end.",
    "rate.title": "Looking back",
    "rate.text": "Please think back to what you watched.",
    "check.title": "A short check",
    "break.title": "Time for a break",
    "break.text": "Take as long as you like.",
    "break.wait": "You can go on in {seconds} s.",
    # ------------------------------------------------------------------------------ questions
    "question.optional": "optional",
    "question.clear": "Clear answer",
    "question.characters": "{n} of at most {max} characters",
    "question.slider": "Not answered yet. Click the line or use the arrow keys.",
    "error.title": "Please look at these questions again",
    "error.required": "Please answer this question.",
    "error.option": "Please choose one of the options shown.",
    "error.choose_at_least": "Please tick at least {n}.",
    "error.choose_at_most": "Please tick at most {n}.",
    "error.point": "Please choose a point from 1 to {points}.",
    "error.rows": "Please answer every row.",
    "error.number": "Please enter a number.",
    "error.whole_number": "Please enter a whole number.",
    "error.number_min": "Please enter a number that is at least {min}.",
    "error.number_max": "Please enter a number that is at most {max}.",
    "error.text_min": "Please write at least {min} characters.",
    "error.text_max": "Please write at most {max} characters.",
    "error.slider": "Please choose a point on the line.",
    "error.wrong": "That was not right. Please read the text again and try once more.",
    "error.watch": "Please watch the video to the end first.",
    "error.wait": "Please wait until the break is over.",
    "error.consent": "Please tick this box if you want to take part.",
    "error.practice": "Please finish the practice first.",
    "error.inputs": (
        "You hardly used the wheel or the keys. Please watch again and show what you think as it happens: at least {n} times."
    ),
    # ------------------------------------------------------------------------------ video
    "media.loading": "Loading the video",
    "media.failed": "Loading was interrupted. We keep trying.",
    "media.unplayable": (
        "Your browser cannot play this video. Please try another browser, for example Firefox or Chrome."
    ),
    "media.play": "Play",
    "media.pause": "Pause",
    "media.replay": "Watch again",
    "media.mute": "Sound off",
    "media.unmute": "Sound on",
    "media.volume": "Volume",
    "media.seek": "Position",
    "media.ended": "You have watched the video.",
    "media.views_left": "You can watch it {n} more times.",
    "media.view_left": "You can watch it once more.",
    "media.label": "Video",
    "media.speed": "Speed",
    "replay.label": "Recording, seen from above",
    "replay.title": "Please watch the recording",
    "replay.first": "The questions appear when you have watched the recording to the end.",
    "replay.loading": "Loading the recording",
    "replay.unplayable": (
        "Your browser cannot show this recording. Please use a newer one, for example Firefox or Chrome."
    ),
    "replay.ended": "You have watched the recording.",
    "replay.zoom_in": "Closer",
    "replay.zoom_out": "Farther away",
    "replay.follow": "Whom to follow",
    "replay.everything": "Everything",
    "overlay.plan": "Plans",
    "overlay.log": "Log of actions",
    "overlay.now": "Back to now",
    "overlay.empty": "There is nothing here.",
    "flags.flag": "Thumbs down",
    "flags.now": "On screen now",
    "flags.nothing": "Nothing is going on right now.",
    "flags.moment": "This moment",
    "flags.mine": "What you marked",
    "flags.none": "Nothing yet.",
    "flags.reason": "Why? (may be left empty)",
    "flags.undo": "Undo",
    "flags.added": "Marked: {what}",
    "flags.removed": "Mark taken back: {what}",
    # ------------------------------------------------------------------------------ annotating while watching
    "trace.high": "More",
    "trace.low": "Less",
    "trace.plus": "Believable",
    "trace.minus": "Not believable",
    "trace.label.ranktrace": "Your trace",
    "trace.label.gtrace": "Your slider",
    "trace.label.btrace": "Your marks",
    "trace.help.ranktrace": "Turn the mouse wheel, or press the ↑ and ↓ keys, as often and as far as you like.",
    "trace.help.gtrace": "Drag up and down, turn the mouse wheel, or press the ↑ and ↓ keys.",
    "trace.help.btrace": "Press ↑ or + for a plus, ↓ or − for a minus, whenever you notice something.",
    "trace.waiting": "Nothing is recorded yet.",
    "trace.paused": "Paused: nothing is recorded.",
    "trace.ended": "The end. Your trace is complete.",
    "practice.title": "A short practice",
    "practice.text.ranktrace": (
        "In this study you say from moment to moment what you think, while you watch. Here is how: follow the size of the "
        "disc. While it **grows**, turn the mouse wheel **up** or press **↑**. While it **shrinks**, turn it **down** or "
        "press **↓**. While it rests, do nothing."
    ),
    "practice.text.gtrace": (
        "In this study you say from moment to moment what you think, while you watch. Here is how: follow the size of the "
        "disc with the slider. While it **grows**, move **up**; while it **shrinks**, move **down**: drag, turn the mouse "
        "wheel, or press **↑** and **↓**. While it rests, do nothing."
    ),
    "practice.text.btrace": (
        "In this study you say what you notice, while you watch. Here is how: each time the disc **grows**, press **↑** "
        "once or twice, or click on **+**. Each time it **shrinks**, press **↓**, or click on **−**. While it rests, do "
        "nothing."
    ),
    "practice.disc": "A disc that grows and shrinks",
    "practice.start": "Start the practice",
    "practice.again": "Try again",
    "practice.high": "It grows",
    "practice.low": "It shrinks",
    "practice.grew": "The disc grew:",
    "practice.shrank": "The disc shrank:",
    "practice.up": "you went up.",
    "practice.down": "you went down.",
    "practice.still": "you did not move.",
    "practice.plus": "you set a plus.",
    "practice.minus": "you set a minus.",
    "practice.unmarked": "you set no mark.",
    "practice.passed": "Well done, that is all there is to it.",
    "practice.failed": "Not quite yet. Please try once more.",
    "practice.enough": "Thank you for trying. You can try again, or go on.",
    # ------------------------------------------------------------------------------ the end
    "finish.sending": "Sending your last answers…",
    "finish.waiting": "Please keep this page open until your answers have arrived. We keep trying.",
    "finish.complete.title": "Thank you!",
    "finish.complete.text": "You have finished the study and all your answers are stored.",
    "finish.screened_out.title": "Thank you for your interest",
    "finish.screened_out.text": "For this study we are looking for other participants. It ends here for you.",
    "finish.failed_checks.title": "The study ends here",
    "finish.failed_checks.text": (
        "Some check questions were not answered as expected, so the study cannot go on. Thank you for "
        "your time."
    ),
    "finish.declined.title": "You did not agree to take part",
    "finish.declined.text": "That is perfectly fine. Nothing further is asked. You can close this window.",
    "finish.code": "Your completion code",
    "finish.redirect": "Back to the platform",
    "finish.receipt": "Receipt",
    "finish.receipt_text": "Proof that everything you answered is stored. You can keep it for your records.",
    "finish.close": "You can close this window now.",
}

GERMAN: Mapping[str, str] = {
    "language.name": "Deutsch",
    "language.label": "Sprache",
    # ------------------------------------------------------------------------------ before the study
    "landing.lead": (
        "Danke für Ihr Interesse an dieser Studie. Sie läuft in diesem Fenster; Sie können jederzeit "
        "aufhören."
    ),
    "landing.start": "Beginnen",
    "landing.resume": "Ich habe einen Code zum Fortsetzen",
    "landing.preview": "Dies ist eine Vorschau. Ihre Eingaben werden nicht gezählt.",
    "landing.simulated": "Dieser Link ist für simulierte Teilnehmende. Eingaben zählen nicht als echt.",
    "landing.desktop_only": (
        "Bitte öffnen Sie diesen Link an einem Computer oder Laptop. Die Studie passt nicht auf ein "
        "Telefon oder Tablet."
    ),
    "resume.title": "Dort fortsetzen, wo Sie aufgehört haben",
    "resume.text": "Geben Sie den Code ein, den Sie beim Unterbrechen bekommen haben.",
    "resume.label": "Ihr Code",
    "resume.button": "Fortsetzen",
    "resume.unknown": "Dieser Code ist hier nicht bekannt. Bitte vergleichen Sie ihn mit Ihrer Notiz.",
    "resume.too_many": "Zu viele Versuche. Bitte warten Sie einige Minuten und versuchen Sie es dann erneut.",
    # ------------------------------------------------------------------------------ no entry
    "refused.closed.title": "Diese Studie ist beendet",
    "refused.closed.text": "Es werden keine weiteren Teilnehmenden aufgenommen. Danke für Ihr Interesse.",
    "refused.paused.title": "Diese Studie ist unterbrochen",
    "refused.paused.text": "Bitte versuchen Sie denselben Link später noch einmal.",
    "refused.full.title": "Diese Studie ist vollständig",
    "refused.full.text": "Es haben genügend Personen teilgenommen. Danke für Ihr Interesse.",
    "refused.taken.title": "Sie haben bereits teilgenommen",
    "refused.taken.text": "Jede Person kann einmal teilnehmen. Danke für Ihre Hilfe.",
    "refused.used.title": "Dieser Link wurde bereits verwendet",
    "refused.used.text": (
        "Ein persönlicher Link gilt einmal. Nutzen Sie Ihren Code zum Fortsetzen, oder fragen Sie die "
        "Person, die ihn geschickt hat."
    ),
    "refused.desktop.title": "Ein größerer Bildschirm ist nötig",
    "refused.desktop.text": "Bitte öffnen Sie diesen Link an einem Computer oder Laptop.",
    "refused.identity.title": "Bitte kommen Sie über den Link Ihrer Plattform",
    "refused.identity.text": (
        "In dieser Adresse fehlt Ihre Teilnahme-Kennung. Gehen Sie zur Plattform zurück und öffnen "
        "Sie die Studie von dort."
    ),
    "refused.resume.title": "Diese Sitzung kann nicht fortgesetzt werden",
    "refused.resume.text": (
        "In dieser Studie kann eine verlassene Sitzung nicht wieder aufgenommen werden. Ihre "
        "bisherigen Antworten sind gespeichert."
    ),
    "refused.withdrawn.title": "Ihre Daten wurden gelöscht",
    "refused.withdrawn.text": (
        "Sie haben Ihre Teilnahme zurückgezogen. Nichts von Ihren Eingaben ist noch vorhanden."
    ),
    "refused.unknown.title": "Dieser Link führt zu keiner Studie",
    "refused.unknown.text": "Bitte vergleichen Sie die Adresse mit der, die Sie bekommen haben.",
    # ------------------------------------------------------------------------------ every page
    "page.skip": "Zum Inhalt springen",
    "page.demonstration": "Vorführmaterial (demonstration stimuli)",
    "page.javascript": (
        "Diese Studie braucht JavaScript. Bitte erlauben Sie es für diese Seite und laden Sie neu."
    ),
    "page.not_found.title": "Seite nicht gefunden",
    "page.not_found.text": (
        "Unter dieser Adresse gibt es nichts. Bitte vergleichen Sie sie mit der, die Sie bekommen haben."
    ),
    "page.method.title": "Das geht hier nicht",
    "page.method.text": "Bitte gehen Sie zurück und benutzen Sie die Knöpfe auf der Seite.",
    "page.error.title": "Auf unserer Seite ist etwas schiefgegangen",
    "page.error.text": "Keine Ihrer Antworten ist verloren. Bitte laden Sie die Seite gleich noch einmal.",
    "page.too_many.title": "Zu viele Versuche",
    "page.too_many.text": "Bitte warten Sie einige Minuten und versuchen Sie es dann erneut.",
    "progress.label": "Fortschritt",
    "progress.value": "Schritt {n} von {total}",
    "button.next": "Weiter",
    "button.close": "Schließen",
    "button.cancel": "Abbrechen",
    "button.reload": "Seite neu laden",
    "button.copy": "Kopieren",
    "button.copied": "Kopiert",
    # ------------------------------------------------------------------------------ saving
    "status.saved": "Gespeichert",
    "status.saving": "Wird gespeichert…",
    "status.offline": "Offline. Ihre Antworten sind hier sicher und werden später gesendet.",
    "status.full": "Der Server kann gerade nichts speichern. Ihre Antworten sind hier sicher.",
    "status.memory": "Bitte diese Seite bis zum Ende offen lassen: Ihr Browser speichert nichts.",
    "status.conflict": "Antworten passen nicht zum Server. Bitte der Studienleitung melden.",
    "status.refused": "Der Server hat eine Antwort abgelehnt. Bitte der Studienleitung melden.",
    # ------------------------------------------------------------------------------ tabs
    "taken.title": "Die Studie ist in einem anderen Tab oder auf einem anderen Gerät geöffnet",
    "taken.text": (
        "Dort geht es weiter. Ihre bisherigen Antworten sind aufgehoben. Sie können diesen Tab "
        "schließen oder stattdessen hier weitermachen."
    ),
    "taken.button": "Hier weitermachen",
    # ------------------------------------------------------------------------------ later, withdraw
    "later.button": "Später fortsetzen",
    "later.title": "Später fortsetzen",
    "later.text": (
        "Ihre Antworten sind gespeichert. Kommen Sie mit diesem Link zurück oder geben Sie den Code "
        "ein, auf jedem Gerät."
    ),
    "later.forbidden": (
        "Diese Studie muss in einem Zug bearbeitet werden: Eine verlassene Sitzung kann nicht wieder "
        "aufgenommen werden."
    ),
    "later.unsent": (
        "Einige Antworten sind noch nicht gesendet. Bitte warten Sie, bis „Gespeichert“ erscheint, "
        "bevor Sie gehen."
    ),
    "later.link": "Ihr persönlicher Link",
    "later.code": "Ihr Code",
    "later.where": "Geben Sie den Code hier ein",
    "withdraw.button": "Zurückziehen",
    "withdraw.title": "Teilnahme zurückziehen und Daten löschen?",
    "withdraw.text": (
        "Alles, was Sie in dieser Studie geantwortet haben, wird sofort gelöscht. Das kann nicht "
        "rückgängig gemacht werden, und es gibt keinen Abschlusscode."
    ),
    "withdraw.confirm": "Zurückziehen und löschen",
    "withdraw.failed": (
        "Das hat nicht geklappt, vermutlich fehlt die Verbindung. Noch ist nichts gelöscht. Bitte "
        "versuchen Sie es erneut."
    ),
    "withdraw.done.title": "Ihre Daten wurden gelöscht",
    "withdraw.done.text": "Sie haben Ihre Teilnahme zurückgezogen. Sie können dieses Fenster schließen.",
    # ------------------------------------------------------------------------------ trials
    "consent.title": "Ihre Einwilligung",
    "consent.adult": "Ich bin mindestens 18 Jahre alt.",
    "consent.agree": "Ich habe die Informationen oben gelesen und möchte teilnehmen.",
    "consent.accept": "Teilnehmen",
    "consent.decline": "Ich bin nicht einverstanden",
    "watch.title": "Bitte sehen Sie sich das Video an",
    "watch.questions": "Ihre Antworten",
    "watch.first": "Die Fragen erscheinen, wenn Sie das Video bis zum Ende gesehen haben.",
    "rate.title": "Rückblick",
    "rate.text": "Bitte denken Sie an das zurück, was Sie gesehen haben.",
    "check.title": "Eine kurze Prüfung",
    "break.title": "Zeit für eine Pause",
    "break.text": "Nehmen Sie sich so viel Zeit, wie Sie möchten.",
    "break.wait": "In {seconds} s können Sie weitermachen.",
    # ------------------------------------------------------------------------------ questions
    "question.optional": "freiwillig",
    "question.clear": "Antwort löschen",
    "question.characters": "{n} von höchstens {max} Zeichen",
    "question.slider": "Noch nicht beantwortet. Klicken Sie auf die Linie oder benutzen Sie die Pfeiltasten.",
    "error.title": "Bitte sehen Sie sich diese Fragen noch einmal an",
    "error.required": "Bitte beantworten Sie diese Frage.",
    "error.option": "Bitte wählen Sie eine der gezeigten Möglichkeiten.",
    "error.choose_at_least": "Bitte kreuzen Sie mindestens {n} an.",
    "error.choose_at_most": "Bitte kreuzen Sie höchstens {n} an.",
    "error.point": "Bitte wählen Sie einen Punkt von 1 bis {points}.",
    "error.rows": "Bitte beantworten Sie jede Zeile.",
    "error.number": "Bitte geben Sie eine Zahl ein.",
    "error.whole_number": "Bitte geben Sie eine ganze Zahl ein.",
    "error.number_min": "Bitte geben Sie eine Zahl ein, die mindestens {min} beträgt.",
    "error.number_max": "Bitte geben Sie eine Zahl ein, die höchstens {max} beträgt.",
    "error.text_min": "Bitte schreiben Sie mindestens {min} Zeichen.",
    "error.text_max": "Bitte schreiben Sie höchstens {max} Zeichen.",
    "error.slider": "Bitte wählen Sie einen Punkt auf der Linie.",
    "error.wrong": "Das war nicht richtig. Bitte lesen Sie den Text noch einmal und versuchen Sie es erneut.",
    "error.watch": "Bitte sehen Sie sich zuerst das Video bis zum Ende an.",
    "error.wait": "Bitte warten Sie, bis die Pause vorbei ist.",
    "error.consent": "Bitte setzen Sie hier ein Häkchen, wenn Sie teilnehmen möchten.",
    "error.practice": "Bitte schließen Sie zuerst die Übung ab.",
    "error.inputs": (
        "Sie haben Rad oder Tasten kaum benutzt. Bitte sehen Sie es noch einmal an und zeigen Sie dabei laufend, was Sie "
        "denken: mindestens {n}-mal."
    ),
    # ------------------------------------------------------------------------------ video
    "media.loading": "Das Video wird geladen",
    "media.failed": "Das Laden wurde unterbrochen. Wir versuchen es weiter.",
    "media.unplayable": (
        "Ihr Browser kann dieses Video nicht abspielen. Bitte versuchen Sie einen anderen, zum "
        "Beispiel Firefox oder Chrome."
    ),
    "media.play": "Abspielen",
    "media.pause": "Pause",
    "media.replay": "Noch einmal ansehen",
    "media.mute": "Ton aus",
    "media.unmute": "Ton an",
    "media.volume": "Lautstärke",
    "media.seek": "Position",
    "media.ended": "Sie haben das Video gesehen.",
    "media.views_left": "Sie können es noch {n} Mal ansehen.",
    "media.view_left": "Sie können es noch einmal ansehen.",
    "media.label": "Video",
    "media.speed": "Geschwindigkeit",
    "replay.label": "Aufzeichnung, von oben gesehen",
    "replay.title": "Bitte sehen Sie sich die Aufzeichnung an",
    "replay.first": "Die Fragen erscheinen, wenn Sie die Aufzeichnung bis zum Ende gesehen haben.",
    "replay.loading": "Die Aufzeichnung wird geladen",
    "replay.unplayable": (
        "Ihr Browser kann diese Aufzeichnung nicht zeigen. Bitte benutzen Sie einen neueren, zum "
        "Beispiel Firefox oder Chrome."
    ),
    "replay.ended": "Sie haben die Aufzeichnung gesehen.",
    "replay.zoom_in": "Näher",
    "replay.zoom_out": "Weiter weg",
    "replay.follow": "Wem die Ansicht folgt",
    "replay.everything": "Alles",
    "overlay.plan": "Pläne",
    "overlay.log": "Liste der Handlungen",
    "overlay.now": "Zurück zum Jetzt",
    "overlay.empty": "Hier ist nichts.",
    "flags.flag": "Daumen runter",
    "flags.now": "Jetzt zu sehen",
    "flags.nothing": "Im Moment geschieht nichts.",
    "flags.moment": "Dieser Moment",
    "flags.mine": "Was Sie markiert haben",
    "flags.none": "Noch nichts.",
    "flags.reason": "Warum? (kann leer bleiben)",
    "flags.undo": "Rückgängig",
    "flags.added": "Markiert: {what}",
    "flags.removed": "Markierung entfernt: {what}",
    # ------------------------------------------------------------------------------ annotating while watching
    "trace.high": "Mehr",
    "trace.low": "Weniger",
    "trace.plus": "Glaubwürdig",
    "trace.minus": "Nicht glaubwürdig",
    "trace.label.ranktrace": "Ihre Linie",
    "trace.label.gtrace": "Ihr Regler",
    "trace.label.btrace": "Ihre Markierungen",
    "trace.help.ranktrace": "Drehen Sie das Mausrad oder drücken Sie die Tasten ↑ und ↓, so oft und so weit Sie möchten.",
    "trace.help.gtrace": "Ziehen Sie nach oben und unten, drehen Sie das Mausrad oder drücken Sie die Tasten ↑ und ↓.",
    "trace.help.btrace": "Drücken Sie ↑ oder + für ein Plus, ↓ oder − für ein Minus, sobald Ihnen etwas auffällt.",
    "trace.waiting": "Noch wird nichts aufgezeichnet.",
    "trace.paused": "Angehalten: Es wird nichts aufgezeichnet.",
    "trace.ended": "Ende. Ihre Eingaben sind vollständig.",
    "practice.title": "Eine kurze Übung",
    "practice.text.ranktrace": (
        "In dieser Studie sagen Sie beim Zusehen von Moment zu Moment, was Sie denken. So geht es: Folgen Sie der Größe der "
        "Scheibe. Solange sie **wächst**, drehen Sie das Mausrad **nach oben** oder drücken **↑**. Solange sie "
        "**schrumpft**, drehen Sie es **nach unten** oder drücken **↓**. Solange sie ruht, tun Sie nichts."
    ),
    "practice.text.gtrace": (
        "In dieser Studie sagen Sie beim Zusehen von Moment zu Moment, was Sie denken. So geht es: Folgen Sie der Größe der "
        "Scheibe mit dem Regler. Solange sie **wächst**, gehen Sie **nach oben**, solange sie **schrumpft**, **nach unten**: "
        "ziehen Sie, drehen Sie das Mausrad oder drücken Sie **↑** und **↓**. Solange sie ruht, tun Sie nichts."
    ),
    "practice.text.btrace": (
        "In dieser Studie sagen Sie beim Zusehen, was Ihnen auffällt. So geht es: Jedes Mal, wenn die Scheibe **wächst**, "
        "drücken Sie ein- oder zweimal **↑** oder klicken auf **+**. Jedes Mal, wenn sie **schrumpft**, drücken Sie **↓** "
        "oder klicken auf **−**. Solange sie ruht, tun Sie nichts."
    ),
    "practice.disc": "Eine Scheibe, die wächst und schrumpft",
    "practice.start": "Übung beginnen",
    "practice.again": "Noch einmal versuchen",
    "practice.high": "Sie wächst",
    "practice.low": "Sie schrumpft",
    "practice.grew": "Die Scheibe wuchs:",
    "practice.shrank": "Sie schrumpfte:",
    "practice.up": "Sie gingen nach oben.",
    "practice.down": "Sie gingen nach unten.",
    "practice.still": "Sie bewegten nichts.",
    "practice.plus": "Sie setzten ein Plus.",
    "practice.minus": "Sie setzten ein Minus.",
    "practice.unmarked": "Sie setzten keine Markierung.",
    "practice.passed": "Sehr gut, mehr ist es nicht.",
    "practice.failed": "Noch nicht ganz. Bitte versuchen Sie es noch einmal.",
    "practice.enough": "Danke für die Versuche. Sie können es noch einmal versuchen oder weitergehen.",
    # ------------------------------------------------------------------------------ the end
    "finish.sending": "Ihre letzten Antworten werden gesendet…",
    "finish.waiting": (
        "Bitte lassen Sie diese Seite offen, bis Ihre Antworten angekommen sind. Wir versuchen es weiter."
    ),
    "finish.complete.title": "Vielen Dank!",
    "finish.complete.text": "Sie haben die Studie abgeschlossen, und alle Ihre Antworten sind gespeichert.",
    "finish.screened_out.title": "Danke für Ihr Interesse",
    "finish.screened_out.text": "Für diese Studie suchen wir andere Teilnehmende. Sie endet hier für Sie.",
    "finish.failed_checks.title": "Die Studie endet hier",
    "finish.failed_checks.text": (
        "Einige Prüffragen wurden nicht wie erwartet beantwortet, daher geht die Studie nicht weiter. "
        "Danke für Ihre Zeit."
    ),
    "finish.declined.title": "Sie möchten nicht teilnehmen",
    "finish.declined.text": (
        "Das ist völlig in Ordnung. Es wird nichts weiter gefragt. Sie können dieses Fenster schließen."
    ),
    "finish.code": "Ihr Abschlusscode",
    "finish.redirect": "Zurück zur Plattform",
    "finish.receipt": "Quittung",
    "finish.receipt_text": (
        "Der Nachweis, dass alles gespeichert ist, was Sie geantwortet haben. Sie können ihn aufbewahren."
    ),
    "finish.close": "Sie können dieses Fenster jetzt schließen.",
}

CATALOGUE: Mapping[str, Mapping[str, str]] = {
    "en": {**ENGLISH, **catalogue_several.ENGLISH, **catalogue_quality.ENGLISH, **catalogue_play.ENGLISH},
    "de": {**GERMAN, **catalogue_several.GERMAN, **catalogue_quality.GERMAN, **catalogue_play.GERMAN},
}
