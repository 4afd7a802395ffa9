import type { en } from '../en/index.ts';

export const shell: typeof en.shell = {
  skip: 'Zum Inhalt springen',
  navigation: 'Hauptnavigation',
  openNavigation: 'Navigation öffnen',
  closeNavigation: 'Navigation schließen',
  search: 'Suchen oder öffnen',
  offline:
    'Sie sind offline. Was Sie sehen, ist vielleicht veraltet, und Änderungen können nicht gespeichert werden.',
  nav: {
    dashboard: 'Übersicht',
    licenses: 'Lizenzen',
    activations: 'Aktivierungen',
    generators: 'Generatoren',
    software: 'Software',
    import: 'Import',
    apiKeys: 'API-Schlüssel',
    audit: 'Änderungsprotokoll',
    settings: 'Einstellungen',
    users: 'Benutzer',
  },
  role: { owner: 'Inhaber', manager: 'Manager', support: 'Support', viewer: 'Leser' },
  menu: {
    label: 'Konto und Vorlieben',
    account: 'Ihr Konto',
    keyboard: 'Tastenkürzel',
    scheme: 'Darstellung',
    language: 'Sprache',
    signOut: 'Abmelden',
  },
  scheme: { auto: 'Wie das System', light: 'Hell', dark: 'Dunkel' },
  notAllowed: {
    title: 'Ihre Rolle erlaubt diese Seite nicht',
    managers:
      'Sie sind angemeldet als: {{role}}. Diese Seite sehen Inhaber und Manager; wenden Sie sich an einen von ihnen.',
    owners:
      'Sie sind angemeldet als: {{role}}. Diese Seite sehen nur Inhaber; wenden Sie sich an einen von ihnen.',
  },
  notFound: {
    title: 'Seite nicht gefunden',
    body: 'Unter dieser Adresse gibt es keine Seite. Vielleicht wurde sie entfernt, oder der Link ist falsch.',
    home: 'Zur Übersicht',
  },
  failure: { title: 'Diese Seite ist fehlgeschlagen' },
  actions: {
    createLicense: 'Lizenz anlegen',
    exportLicenses: 'Alle Lizenzen als CSV exportieren',
    createGenerator: 'Generator anlegen',
    publishRelease: 'Version veröffentlichen',
    importLicenses: 'Lizenzen aus einer CSV-Datei importieren',
    createApiKey: 'API-Schlüssel erstellen',
    inviteUser: 'Benutzer einladen',
  },
  palette: {
    placeholder: 'Seite öffnen oder Lizenzen suchen',
    label: 'Befehle und Suche',
    order: 'Bestellung {{id}}',
    results: 'Ergebnisse',
    go: 'Öffnen',
    all: 'Lizenzen nach „{{text}}“ durchsuchen',
    searching: 'Suche läuft',
    nothing: 'Nichts gefunden',
    do: 'Aktionen',
    preferences: 'Ansicht',
    scheme: 'Darstellung: {{scheme}}',
    language: 'Sprache: {{name}}',
  },
  password: {
    title: 'Ihr Passwort, bitte',
    description:
      'Das könnte jemand anderem einen Zugang verschaffen, deshalb genügt Ihr offener Browser dafür nicht. Danach werden Sie zehn Minuten lang nicht wieder gefragt.',
    label: 'Passwort',
    wrong: 'Das ist nicht Ihr Passwort.',
    confirm: 'Weiter',
  },
  keyboard: {
    palette: 'Befehle und Suche',
    search: 'Auf dieser Seite suchen',
    help: 'Diese Tastenkürzel',
    go: '{{page}} öffnen',
    singleKeys: 'Tastenkürzel aus einzelnen Tasten',
    singleKeysHint:
      'Schalten Sie sie ab, wenn Sie mit Ihrem Rechner sprechen oder Tasten versehentlich drücken.',
  },
};
