import type { en } from '../en/index.ts';

export const products: typeof en.products = {
  /** Includes future ones. */
  all: 'Alle Produkte',
  find: 'Produkt suchen oder mit seiner Nummer hinzufügen',
  other: 'Ein weiteres Produkt mit seiner Nummer',
  add: 'Hinzufügen',
  added: 'Produkt {{label}} ist ausgewählt.',
  chosen_one: '{{count}} Produkt ist ausgewählt.',
  chosen_other: '{{count}} Produkte sind ausgewählt.',
  none: 'Es gibt noch keine Produkte: Fügen Sie die Nummern hinzu, die Ihr Shop dafür hat.',
  noMatch: 'Kein bekanntes Produkt passt.',
  more: 'Es gibt mehr Produkte, als hier stehen. Fügen Sie sie mit ihren Nummern hinzu.',
  failed: 'Die Produkte konnten nicht geladen werden. Fügen Sie sie mit ihren Nummern hinzu.',
  hint: 'Die Nummer in Ihrem Shop. Sie bestimmt, welche Software die Lizenz aktualisieren darf.',
  notANumber: 'Geben Sie die Nummer eines Produkts ein.',
  chooseOne: 'Wählen Sie mindestens eines.',
  moreOf: 'und {{count}} weitere',
};
