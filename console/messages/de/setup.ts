import type { en } from '../en/index.ts';

export const setup: typeof en.setup = {
  title: 'Latchkey einrichten',
  welcome: 'Willkommen, {{name}}',
  passwordTitle: 'Passwort festlegen',
  description: {
    setup: 'Sie werden Inhaber dieses Servers mit allen Rechten und können andere Benutzer einladen.',
    invitation: 'Wählen Sie ein Passwort, mit dem Sie sich an der Konsole anmelden.',
    reset:
      'Wählen Sie ein neues Passwort. Überall sonst werden Sie abgemeldet, und der zweite Faktor wird ausgeschaltet.',
  },
  noLink: {
    description: 'Dieser Server hat noch keinen Inhaber.',
    log: 'Wenn der Server startet, gibt er einen Link aus, der Sie zum Inhaber macht. Öffnen Sie diesen Link. Er gilt einmal und einen Tag lang; jeder Start gibt einen neuen aus.',
    command:
      'Sie können den Inhaber auch auf der Befehlszeile des Servers anlegen; auch das gibt einen Link aus:',
  },
  bad: {
    title: 'Dieser Link ist ungültig oder abgelaufen',
    next: 'Jeder Link gilt einmal und nur für begrenzte Zeit. Bitten Sie den Absender um einen neuen. Einen neuen Link zum Einrichten gibt der Server beim nächsten Start aus.',
  },
  toSignIn: 'Zur Anmeldung',
  name: 'Ihr Name',
  nameHint: 'Andere Benutzer sehen ihn neben Ihren Änderungen.',
  nameMissing: 'Geben Sie Ihren Namen ein.',
  email: 'E-Mail-Adresse',
  emailHint: 'Damit melden Sie sich an. Der Server verschickt keine E-Mails.',
  emailFault: 'Geben Sie eine gültige E-Mail-Adresse ein.',
  password: 'Passwort',
  passwordHint: 'Mindestens 12 Zeichen. Gut sind einige Wörter, die nicht zusammengehören.',
  passwordFault: 'Wählen Sie ein anderes: 12 bis 256 Zeichen und weder Ihr Name noch Ihre Adresse.',
  create: 'Einrichten und anmelden',
  setPassword: 'Passwort festlegen und anmelden',
};
