/**
 * What the server says of an error, in German; it speaks English itself. What fits no row is shown as it is.
 * `$1` and on are the parts in brackets.
 */
export const server: readonly (readonly [said: RegExp, german: string])[] = [
  [/^is required\.$/, 'Dies wird gebraucht.'],
  [/^must not be empty\.$/, 'Dies darf nicht leer sein.'],
  [/^must not be only white space\.$/, 'Nur Leerzeichen genügen nicht.'],
  [/^must be an integer from (\d+) to (\d+)\.$/, 'Nötig ist eine ganze Zahl von $1 bis $2.'],
  [/^must have (\d+) to (\d+) characters\.$/, 'Nötig sind $1 bis $2 Zeichen.'],
  [/^must have at most (\d+) characters\.$/, 'Möglich sind höchstens $1 Zeichen.'],
  [/^must be at most (\d+) values\.$/, 'Möglich sind höchstens $1 Werte.'],
  [/^must be text\b.*$/, 'Nötig ist ein Text ohne Steuerzeichen.'],
  [/^must be true or false\b.*$/, 'Nötig ist ja oder nein.'],
  [/^must be one of (.*)\.$/, 'Möglich sind: $1.'],
  [/^must be an existing date: .*$/, 'Nötig ist ein Datum, das es gibt, wie 2031-12-31, bis zum Jahr 9999.'],
  [
    /^must be an http or https address of at most (\d+) characters\.$/,
    'Nötig ist eine http- oder https-Adresse mit höchstens $1 Zeichen.',
  ],
  [/^must be an email address\.$/, 'Nötig ist eine E-Mail-Adresse.'],
  [/^must be in the future; (.*) UTC is past\.$/, 'Nötig ist eine Zeit in der Zukunft; $1 UTC ist vorbei.'],
  [/^must not begin with "(.*)"\.$/, 'Dies darf nicht mit „$1“ beginnen.'],
  [/^must be a version like (.*) or (.*)\.$/, 'Nötig ist eine Versionsnummer wie $1 oder $2.'],
  [
    /^must be letters, digits, "\.", "_" and "-", beginning with a letter or digit\.$/,
    'Möglich sind Buchstaben, Ziffern, „.“, „_“ und „-“; am Anfang ein Buchstabe oder eine Ziffer.',
  ],
  [/^must not be digits only, which would be an id\.$/, 'Nur Ziffern gehen nicht: Das wäre eine ID.'],
  [/^must not be the name or the address\.$/, 'Dies darf nicht der Name oder die Adresse sein.'],
  [/^must not be before from\.$/, 'Dies darf nicht vor dem Anfang liegen.'],
  [
    /^must be a kind and an id, like license:12; kinds are (.*)\.$/,
    'Nötig sind Art und ID, wie license:12; Arten sind $1.',
  ],
  [/^passes the year 9999\.$/, 'Das geht über das Jahr 9999 hinaus.'],
  [/^belongs to another user\.$/, 'Dies gehört einem anderen Benutzer.'],
  [/^is wrong\.$/, 'Das stimmt nicht.'],
  [
    /^is wrong; see that the clock of the device is right\.$/,
    'Der Code stimmt nicht. Prüfen Sie, ob die Uhr des Geräts richtig geht.',
  ],
  [
    /^is wrong, or was used already; (\d+) (?:try is|tries are) left\.$/,
    'Der Code stimmt nicht oder wurde schon benutzt. Versuche, die noch bleiben: $1.',
  ],
  [
    /^is too many: the generator has (\d+) free keys left, not (\d+)\.$/,
    'Das sind zu viele: Der Generator hat noch $1 freie Schlüssel, nicht $2.',
  ],
  [
    /^is too many: the generator has too few free keys left to find (\d+)\.$/,
    'Das sind zu viele: Der Generator hat zu wenige freie Schlüssel, um $1 zu finden.',
  ],
  [/^exists already\.$/, 'Dies gibt es schon.'],
  [/^stands in an earlier line too\.$/, 'Dies steht auch in einer früheren Zeile.'],
  [
    /^is no text in UTF-8; save the file as "CSV UTF-8"\.$/,
    'Dies ist kein Text in UTF-8; speichern Sie die Datei als „CSV UTF-8“.',
  ],
  [
    /^The line has (\d+) cells?; the first line names (\d+)\.$/,
    'Anzahl der Zellen: $1; die erste Zeile nennt $2 Spalten.',
  ],
  [/^cannot be read\. Line (\d+): the file is empty\.$/, 'Die Datei ist leer.'],
  [
    /^cannot be read\. Line (\d+): the file is no text in UTF-8; .*$/,
    'Die Datei ist kein Text in UTF-8; speichern Sie sie als „CSV UTF-8“.',
  ],
  [
    /^cannot be read\. Line (\d+): a quote is opened in the record that begins here, and never closed\.$/,
    'In Zeile $1 beginnt ein Anführungszeichen, das nirgends endet.',
  ],
  [
    /^cannot be read\. Line (\d+): the record that begins here is longer than 1 MiB; .*$/,
    'Was in Zeile $1 beginnt, ist länger als 1 MiB; vielleicht fehlt ein Anführungszeichen.',
  ],
  [
    /^cannot be read\. Line (\d+): in the record that begins here, text follows a closing quote; .*$/,
    'In Zeile $1 steht Text hinter einem Anführungszeichen am Ende; innerhalb einer Zelle schreiben Sie es doppelt: "".',
  ],
  [
    /^cannot be read\. Line (\d+): in the record that begins here, a quote stands within .*$/,
    'In Zeile $1 steht ein Anführungszeichen in einer Zelle; setzen Sie die Zelle in Anführungszeichen und schreiben Sie es doppelt: "".',
  ],
  [/^cannot be read\. Line (\d+): .*$/, 'Die Datei kann nicht gelesen werden, ab Zeile $1.'],
  [
    /^has more than ([\d,]+) lines: .*$/,
    'Die Datei hat mehr als $1 Zeilen: Teilen Sie sie, oder importieren Sie sie mit „latchkey license import“.',
  ],
  [/^must say which column is license_key\.$/, 'Eine Spalte muss license_key sein.'],
  [/^gives (\w+) to two columns\.$/, 'Zwei Spalten sind $1.'],

  [/^The license (?:key )?"?(.*?)"? could not be found\.$/, 'Die Lizenz $1 gibt es nicht.'],
  [/^The license key "(.*)" already exists\.$/, 'Den Lizenzschlüssel „$1“ gibt es schon.'],
  [/^The generator "(.*)" could not be found\.$/, 'Den Generator $1 gibt es nicht.'],
  [/^The software "(.*)" could not be found\.$/, 'Die Software $1 gibt es nicht.'],
  [/^Software with the slug "(.*)" already exists\.$/, 'Software mit dem Kürzel „$1“ gibt es schon.'],
  [/^The release "(.*)" could not be found\.$/, 'Die Version $1 gibt es nicht.'],
  [/^Version (.*) of this software already exists\.$/, 'Version $1 dieser Software gibt es schon.'],
  [/^The user "(.*)" could not be found\.$/, 'Den Benutzer $1 gibt es nicht.'],
  [/^A user with the address "(.*)" already exists\.$/, 'Einen Benutzer mit der Adresse „$1“ gibt es schon.'],
  [/^The session "(.*)" could not be found\.$/, 'Diese Sitzung gibt es nicht mehr.'],
  [/^The API key "(.*)" could not be found\.$/, 'Den API-Schlüssel $1 gibt es nicht.'],
  [
    /^API key (\d+) is revoked already, since (.*) UTC\.$/,
    'API-Schlüssel $1 ist schon widerrufen, seit $2 UTC.',
  ],
  [/^API key (\d+) has expired already, at (.*) UTC\.$/, 'API-Schlüssel $1 ist schon abgelaufen, am $2 UTC.'],
  [
    /^API key (\d+) was replaced by (.*) already: rotate that one\.$/,
    'API-Schlüssel $1 wurde schon durch $2 ersetzt: Tauschen Sie diesen aus.',
  ],
  [
    /^API key (\d+) is that of LATCHKEY_CONSUMER_KEY: the settings give it every right\.$/,
    'API-Schlüssel $1 ist der aus LATCHKEY_CONSUMER_KEY: Die Einstellungen geben ihm alle Rechte.',
  ],
  [/^The activation token "(.*)" could not be found\.$/, 'Die Aktivierung gibt es nicht.'],
  [/^The activation is deactivated\.$/, 'Die Aktivierung ist deaktiviert.'],
  [/^The activation is already active\.$/, 'Die Aktivierung ist schon aktiv.'],
  [/^The activation is already deactivated\.$/, 'Die Aktivierung ist schon deaktiviert.'],
  [/^The license has expired\.$/, 'Die Lizenz ist abgelaufen.'],
  [/^The license is disabled\.$/, 'Die Lizenz ist gesperrt.'],
  [
    /^The license has reached its limit of (\d+) activations\.$/,
    'Die Lizenz hat ihre Grenze von $1 Aktivierungen erreicht.',
  ],
  [/^(.*) is disabled\.$/, '$1 ist gesperrt.'],
  [
    /^(.*) is the last owner who can sign in: make another user an owner first\.$/,
    '$1 ist der letzte Inhaber, der sich anmelden kann: Machen Sie zuerst einen anderen Benutzer zum Inhaber.',
  ],
  [
    /^This was changed meanwhile, elsewhere\. Try again\.$/,
    'Dies wurde inzwischen anderswo geändert. Versuchen Sie es erneut.',
  ],
  [
    /^The link is not good, or not any more: .*$/,
    'Der Link gilt nicht (mehr): Er geht einmal und für eine Zeit.',
  ],
  [/^The second factor is on already\.$/, 'Der zweite Faktor ist schon eingerichtet.'],
  [/^The second factor is off\.$/, 'Der zweite Faktor ist nicht eingerichtet.'],
  [/^Sign in first\.$/, 'Melden Sie sich zuerst an.'],
  [/^The address or the password is wrong\.$/, 'Die Adresse oder das Passwort stimmt nicht.'],
  [
    /^It took too long, or too many codes were wrong\. Sign in again\.$/,
    'Es hat zu lange gedauert, oder zu viele Codes waren falsch. Melden Sie sich erneut an.',
  ],
  [
    /^Too many requests\. Try again in (\d+) seconds?\.$/,
    'Zu viele Anfragen. Versuchen Sie es in $1 Sekunden erneut.',
  ],
  [/^The file is larger than (\d+) bytes\.$/, 'Die Datei ist größer als $1 Byte.'],
  [/^The body is (?:too large|larger than .*)\.$/, 'Die Anfrage ist zu groß.'],
  [/^No route was found .*$/, 'Diese Adresse gibt es auf dem Server nicht.'],
  [/^The server answered (\d+)\.$/, 'Der Server hat mit Status $1 geantwortet.'],
];
