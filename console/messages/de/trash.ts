import type { en } from '../en/index.ts';

export const trash: typeof en.trash = {
  title: 'Papierkorb',
  description:
    'Gelöschte Lizenzen. Sie gelten nicht mehr und lassen sich mit ihren Aktivierungen wiederherstellen, bis sie entfernt werden.',
  back: 'Lizenzen',
  look: 'Unter den gelöschten Lizenzen suchen',
  roleNote: 'Nur Inhaber und Manager können Lizenzen wiederherstellen und endgültig löschen.',
  filter: 'Gelöschte Lizenzen suchen',
  search: 'Vollständiger Lizenzschlüssel',
  empty: 'Der Papierkorb ist leer',
  emptyNext: 'Gelöschte Lizenzen erscheinen hier.',
  noMatch: 'Keine gelöschte Lizenz hat diesen Schlüssel',
  noMatchNext:
    'Der Papierkorb wird nur nach dem vollständigen Schlüssel durchsucht. Groß- und Kleinschreibung werden unterschieden.',
  all: 'Alle gelöschten Lizenzen anzeigen',
  column: {
    deleted: 'Gelöscht',
    by: 'Gelöscht von',
    removed: 'Entfernt am',
  },
  restore: 'Wiederherstellen',
  restoreOf: 'Wiederherstellen: {{name}}',
  restored_one: '{{count}} Lizenz wiederhergestellt.',
  restored_other: '{{count}} Lizenzen wiederhergestellt.',
  gone_one: '{{count}} ist nicht mehr im Papierkorb.',
  gone_other: '{{count}} sind nicht mehr im Papierkorb.',
  taken_one:
    '{{count}} bleibt im Papierkorb, weil inzwischen eine andere Lizenz den Schlüssel oder die Nummer hat.',
  taken_other:
    '{{count}} bleiben im Papierkorb, weil inzwischen andere Lizenzen die Schlüssel oder Nummern haben.',
  remove: 'Endgültig löschen',
  removeOf: 'Endgültig löschen: {{name}}',
  removeTitle: '{{name}} endgültig löschen?',
  removeBody:
    'Die Lizenz und ihre Aktivierungen werden jetzt entfernt. Das lässt sich nicht rückgängig machen.',
  removed: 'Endgültig gelöscht.',
};
