import type { en } from '../en/index.ts';

export const generators: typeof en.generators = {
  title: 'Generatoren',
  description: 'Ein Generator legt fest, wie neue Lizenzschlüssel aussehen.',
  column: {
    name: 'Name',
    pattern: 'Schlüssel sehen so aus',
    charset: 'Zeichen',
    limit: 'Aktivierungen',
    expires: 'Gültig',
    created: 'Erstellt',
  },
  days_one: '{{count}} Tag',
  days_other: '{{count}} Tage',
  forever: 'Läuft nicht ab',
  empty: 'Noch keine Generatoren',
  emptyNext: 'Legen Sie einen an, um Lizenzschlüssel Ihrer eigenen Form zu erzeugen.',
};
