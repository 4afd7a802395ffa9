import type { en } from '../en/index.ts';

export const users: typeof en.users = {
  title: 'Benutzer',
  description: 'Personen, die sich an dieser Konsole anmelden können, und ihre Rollen.',
  create: 'Benutzer einladen',
  createAction: 'Einladungslink erstellen',
  empty: 'Noch keine Benutzer',
  you: 'Sie',
  on: 'Ein',
  off: 'Aus',
  roles: 'Was die Rollen dürfen',
  column: {
    role: 'Rolle',
    totp: 'Zwei-Faktor',
    seen: 'Zuletzt aktiv',
  },
  status: { active: 'Aktiv', invited: 'Eingeladen', disabled: 'Gesperrt' },
  /** What each role may do. */
  role: {
    owner: 'Voller Zugriff, auch auf Benutzer.',
    manager:
      'Alles außer Benutzern und Sicherungen: Lizenzen mit vollständigen Schlüsseln, Generatoren, Software, Importe, API-Schlüssel und das Änderungsprotokoll.',
    support:
      'Kann Lizenzen suchen, anlegen und bearbeiten. Kann nichts löschen und keine API-Schlüssel verwalten. Schlüssel sind verdeckt; wird einer angezeigt, steht das im Änderungsprotokoll.',
    viewer: 'Lesezugriff auf Lizenzen und Software. Schlüssel bleiben verdeckt.',
  },
  email: 'E-Mail-Adresse',
  saved: '{{name}} gespeichert.',
  ownRole:
    'Das ist Ihr eigenes Konto. Mit einer anderen Rolle werden Sie abgemeldet und haben vielleicht keinen Zugriff mehr auf diese Seite.',
  roleChanges:
    'Mit einer anderen Rolle wird der Benutzer abgemeldet. API-Schlüssel und Ereignis-Endpunkte, die er angelegt hat, funktionieren weiter: Widerrufen oder ersetzen Sie die Schlüssel, die er kennt, und löschen Sie die Endpunkte, die Sie nicht kennen.',
  inviteAgain: 'Neuer Einladungslink',
  enable: 'Entsperren',
  enabled: '{{name}} kann sich wieder anmelden.',
  disabled: '{{name}} ist gesperrt.',
  totpRemoved: 'Die Zwei-Faktor-Authentifizierung von {{name}} ist ausgeschaltet.',
  disable: {
    title: '{{name}} sperren?',
    body: 'Der Benutzer wird überall abgemeldet und kann sich erst wieder anmelden, wenn Sie ihn entsperren. Seine Einträge im Änderungsprotokoll bleiben erhalten. API-Schlüssel und Ereignis-Endpunkte, die er angelegt hat, funktionieren weiter: Widerrufen oder ersetzen Sie die Schlüssel, die er kennt, und löschen Sie die Endpunkte, die Sie nicht kennen.',
    action: 'Sperren',
  },
  reset: {
    title: 'Passwort von {{name}} zurücksetzen?',
    body: 'Sie erhalten einen Link, den Sie dem Benutzer schicken. Bis er benutzt wird, gilt das bisherige Passwort. Ein neues Passwort schaltet die Zwei-Faktor-Authentifizierung aus und beendet alle Sitzungen.',
    action: 'Passwort zurücksetzen',
  },
  removeTotp: {
    title: 'Zwei-Faktor-Authentifizierung von {{name}} ausschalten?',
    body: 'Der Benutzer wird überall abgemeldet und meldet sich danach nur mit dem Passwort an. Vergewissern Sie sich, dass er selbst darum gebeten hat.',
    action: 'Zwei-Faktor-Authentifizierung ausschalten',
  },
  link: {
    invitation: 'Link für {{name}}',
    reset: 'Link für {{name}}',
    title: 'Link zum Festlegen eines Passworts',
    name: 'Link',
    send: 'Schicken Sie {{name}} diesen Link auf einem vertraulichen Weg: Wer ihn öffnet, kann das Passwort festlegen. Der Server verschickt ihn nicht.',
    until: 'Gilt einmal und bis',
  },
};
