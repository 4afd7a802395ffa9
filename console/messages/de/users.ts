import type { en } from '../en/index.ts';

export const users: typeof en.users = {
  title: 'Benutzer',
  description: 'Wer sich an dieser Konsole anmelden darf und was sie dort dürfen.',
  create: 'Benutzer einladen',
  createAction: 'Einladungslink erstellen',
  empty: 'Noch keine Benutzer',
  you: 'Sie',
  on: 'Ein',
  off: 'Aus',
  roles: 'Was die Rollen dürfen',
  column: {
    name: 'Name',
    role: 'Rolle',
    status: 'Status',
    totp: 'Zweiter Faktor',
    seen: 'Zuletzt benutzt',
    created: 'Angelegt',
    actions: 'Aktionen',
  },
  status: { active: 'Aktiv', invited: 'Eingeladen', disabled: 'Gesperrt' },
  role: {
    owner: { name: 'Inhaber', meaning: 'Alles, auch Benutzer.' },
    manager: {
      name: 'Manager',
      meaning:
        'Alles außer Benutzern: Lizenzen mit ganzen Schlüsseln, Generatoren, Software, Importe, API-Schlüssel, das Protokoll.',
    },
    support: {
      name: 'Support',
      meaning:
        'Sucht Lizenzen, legt sie an und ändert sie. Löscht nichts, hat keine API-Schlüssel und sieht Lizenzschlüssel verdeckt, bis sie aufgedeckt werden, was protokolliert wird.',
    },
    viewer: {
      name: 'Leser',
      meaning: 'Lesezugriff auf Lizenzen und Software. Schlüssel bleiben verdeckt.',
    },
  },
  name: 'Name',
  email: 'E-Mail-Adresse',
  edit: 'Bearbeiten',
  editTitle: '{{name}} bearbeiten',
  save: 'Speichern',
  saved: '{{name}} gespeichert.',
  ownRole:
    'Das ist Ihr eigenes Konto. Mit einer anderen Rolle werden Sie abgemeldet und haben vielleicht keinen Zugriff mehr auf diese Seite.',
  roleChanges: 'Mit einer anderen Rolle wird der Benutzer abgemeldet.',
  actionsOf: 'Aktionen für {{name}}',
  inviteAgain: 'Neuer Einladungslink',
  enable: 'Entsperren',
  enabled: '{{name}} kann sich wieder anmelden.',
  disabled: '{{name}} ist gesperrt.',
  totpRemoved: 'Der zweite Faktor von {{name}} ist ausgeschaltet.',
  disable: {
    title: '{{name}} sperren?',
    body: 'Der Benutzer wird sofort überall abgemeldet und kann sich nicht anmelden, bis Sie ihn entsperren. Was er getan hat, bleibt im Protokoll.',
    action: 'Sperren',
  },
  reset: {
    title: 'Passwort von {{name}} zurücksetzen?',
    body: 'Sie erhalten einen Link zum Weitergeben. Das Passwort gilt, bis der Link benutzt wird; dann wird ein neues festgelegt, der zweite Faktor ist aus, und alle Sitzungen enden.',
    action: 'Passwort zurücksetzen',
  },
  removeTotp: {
    title: 'Zweiten Faktor von {{name}} ausschalten?',
    body: 'Danach genügt das Passwort allein. Der Benutzer wird überall abgemeldet. Vergewissern Sie sich, dass er selbst darum gebeten hat.',
    action: 'Zweiten Faktor ausschalten',
  },
  link: {
    invitation: 'Link für {{name}}',
    reset: 'Link für {{name}}',
    title: 'Link zum Festlegen eines Passworts',
    name: 'Link',
    send: 'Geben Sie {{name}} diesen Link auf einem Weg, den nur {{name}} liest. Wer ihn öffnet, legt das Passwort fest. Der Server hat nichts verschickt.',
    until: 'Gilt einmal, bis',
  },
};
