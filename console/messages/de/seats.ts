import type { en } from '../en/index.ts';

export const seats: typeof en.seats = {
  title: 'Plätze',
  field: {
    seat_ttl: 'Platz verfällt nach',
    match: 'Gerät erkannt an',
    borrow_max_hours: 'Ausleihe (Stunden)',
    reclaim_after_days: 'Einziehen nach (Tage)',
    takeovers_per_month: 'Übernahmen in 30 Tagen',
  },
  hint: {
    seat_ttl:
      'Ein Gerät, das so lange weder aktiviert noch geprüft wird, verliert seinen Platz (Floating). 0: Es behält ihn, bis es deaktiviert wird (gerätegebunden).',
    match:
      'Ein Gerät, das erneut aktiviert, behält seinen Platz. Wählen Sie die Bezeichnung für Programme, die keinen Fingerabdruck senden.',
    borrow_max_hours:
      'So lange darf ein Gerät einen Floating-Platz ohne Verbindung behalten. 0 für gar nicht.',
    reclaim_after_days:
      'Ist kein Platz frei, bekommt ein neues Gerät den Platz des Geräts, das am längsten nicht gesehen wurde, sobald es so viele Tage nicht gesehen wurde. 0 für nie.',
    takeovers_per_month:
      'So oft dürfen Kunden in 30 Tagen den Platz des Geräts übernehmen, das am längsten nicht gesehen wurde, wenn keiner frei ist. 0 für nie.',
  },
  unit: 'Einheit',
  units: { second: 'Sekunden', minute: 'Minuten', hour: 'Stunden', day: 'Tage' },
  match: { fingerprint: 'Fingerabdruck', label: 'Fingerabdruck, sonst Bezeichnung' },
  nodeLocked: 'Gerätegebunden',
  floating: 'Floating: {{time}} ohne Meldung',
  borrowing: 'Ausleihbar für {{time}}',
  reclaim: 'Eingezogen, wenn {{time}} nicht gesehen',
  takeovers_one: '{{count}} Übernahme in 30 Tagen',
  takeovers_other: '{{count}} Übernahmen in 30 Tagen',
  byLabel: 'Gleiche Bezeichnung heißt gleiches Gerät',
  endedAs: {
    deactivated: 'Deaktiviert',
    reclaimed: 'Eingezogen',
    lapsed: 'Verfallen',
    taken_over: 'Übernommen',
  },
  endedNote: {
    reclaimed: 'Lange nicht gesehen: Ein anderes Gerät bekam den Platz.',
    lapsed: 'Das Gerät wurde nicht rechtzeitig geprüft. Ist ein Platz frei, bekommt es wieder einen.',
    taken_over: 'Der Kunde gab den Platz einem anderen Gerät.',
  },
};
