import type { en } from '../en/index.ts';

export const terms: typeof en.terms = {
  ofGenerator: 'Jede Lizenz, die dieser Generator erzeugt, bekommt die folgenden Werte als Kopie.',
  leases: 'Leases',
  field: {
    entitlements: 'Freigeschaltete Funktionen',
    lease_days: 'Gültig (Tage)',
    lease_refresh_hours: 'Erneuert nach (Stunden)',
    lease_grace_days: 'Schonfrist (Tage)',
    offline_lease_days: 'Gültig ohne Netz (Tage)',
  },
  hint: {
    entitlements: 'Namen von Funktionen, die der Kunde nutzen darf, etwa „pro“. Mit Kommas trennen.',
    leases: 'Mit einem Lease läuft ein Programm ohne Verbindung zu diesem Server.',
    lease_days: 'So lange läuft ein Programm, ohne ein neues Lease zu holen.',
    lease_refresh_hours: 'Wann ein Programm mit Verbindung ein neues Lease holt.',
    lease_grace_days: 'So lange läuft es danach mit einer Warnung weiter. 0 für gar nicht.',
    offline_lease_days: 'Für Geräte, die nie eine Verbindung haben.',
  },
  leaseDays: '{{time}} gültig',
  leaseRefresh: 'Erneuert nach {{time}}',
  leaseGrace: 'Schonfrist: {{time}}',
  offlineLease: 'Ohne Netz: {{time}}',
};
