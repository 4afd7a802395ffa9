import type { en } from '../en/index.ts';

export const notes: typeof en.notes = {
  title: 'Notizen',
  empty: 'Keine Notizen, Tags oder Metadaten.',
  add: 'Notizen hinzufügen',
  edit: 'Notizen bearbeiten',
  saved: 'Notizen gespeichert.',
  tags: 'Tags',
  tagsHint:
    'Drücken Sie nach jedem Tag die Eingabetaste. Die Liste der Lizenzen lässt sich nach Tags filtern.',
  note: 'Notiz',
  noteHint:
    'Nur wer sich hier anmelden kann, sieht sie. Die Suche findet ihre ersten 200 verschiedenen Wörter.',
  meta: 'Metadaten',
  metaHint: 'Werte mit Namen, zum Beispiel die Nummer einer Rechnung.',
  metaAdd: 'Wert hinzufügen',
  metaName: 'Name {{at}}',
  metaValue: 'Wert {{at}}',
  metaRemove: 'Wert {{at}} entfernen',
  name: 'Name',
  value: 'Wert',
  nameMissing: 'Jeder Wert braucht einen Namen.',
  tag: 'Tag',
};
