import type { en } from '../en/index.ts';

export const setup: typeof en.setup = {
  title: 'Latchkey einrichten',
  welcome: 'Willkommen, {{name}}',
  passwordTitle: 'Passwort festlegen',
  description: {
    setup: 'Sie werden Inhaber dieses Servers mit allen Rechten und können andere Benutzer einladen.',
    invitation: 'Wählen Sie ein Passwort, mit dem Sie sich an der Konsole anmelden.',
    reset:
      'Wählen Sie ein neues Passwort. Überall sonst werden Sie abgemeldet, und die Zwei-Faktor-Authentifizierung wird ausgeschaltet.',
  },
  noLink: {
    description: 'Dieser Server hat noch keinen Inhaber.',
    log: 'Jeder Start des Servers gibt einen neuen Link zum Einrichten aus oder schreibt ihn unter systemd in die Datei first-start.txt im Datenverzeichnis. Öffnen Sie den neuesten Link, um Inhaber zu werden. Er gilt einmal und einen Tag lang.',
    command:
      'Sie können den Inhaber auch auf der Befehlszeile des Servers anlegen. Auch dieser Befehl gibt einen Link aus:',
  },
  bad: {
    title: 'Dieser Link ist ungültig oder abgelaufen',
    next: 'Jeder Link gilt einmal und nur für begrenzte Zeit. Bitten Sie den Absender um einen neuen. Für einen neuen Link zum Einrichten starten Sie den Server neu.',
  },
  toSignIn: 'Zur Anmeldung',
  name: 'Ihr Name',
  nameHint: 'Andere Benutzer sehen ihn neben Ihren Änderungen.',
  nameMissing: 'Geben Sie Ihren Namen ein.',
  email: 'E-Mail-Adresse',
  emailHint: 'Damit melden Sie sich an. Der Server verschickt keine E-Mails.',
  emailFault: 'Geben Sie eine gültige E-Mail-Adresse ein.',
  password: 'Passwort',
  passwordHint: 'Mindestens 12 Zeichen, zum Beispiel mehrere Wörter ohne Zusammenhang.',
  passwordFault: 'Verwenden Sie 12 bis 256 Zeichen, aber nicht Ihren Namen oder Ihre E-Mail-Adresse.',
  create: 'Einrichten und anmelden',
  setPassword: 'Passwort festlegen und anmelden',
};
