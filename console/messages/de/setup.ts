import type { en } from '../en/index.ts';

export const setup: typeof en.setup = {
  title: 'Latchkey einrichten',
  welcome: 'Willkommen, {{name}}',
  passwordTitle: 'Passwort festlegen',
  description: {
    setup: 'Sie werden Inhaber dieses Servers: Sie dürfen alles und können andere hereinlassen.',
    invitation: 'Wählen Sie ein Passwort, mit dem Sie sich an der Konsole anmelden.',
    reset:
      'Wählen Sie ein neues Passwort. Überall sonst werden Sie abgemeldet, und der zweite Faktor wird ausgeschaltet.',
  },
  noLink: {
    description: 'Noch kann sich niemand anmelden.',
    log: 'Wenn der Server startet, gibt er einen Link aus, der Sie zum Inhaber macht. Öffnen Sie diesen Link. Er gilt einmal und einen Tag lang; jeder Start gibt einen neuen aus.',
    command:
      'Sie können den Inhaber auch auf der Befehlszeile des Servers anlegen; auch das gibt einen Link aus:',
  },
  bad: {
    title: 'Dieser Link gilt nicht oder nicht mehr',
    next: 'Ein Link gilt einmal und eine Zeit lang. Bitten Sie um einen neuen; den Link zum Einrichten gibt der Server beim nächsten Start wieder aus.',
  },
  toSignIn: 'Zur Anmeldung',
  name: 'Ihr Name',
  nameHint: 'So sehen ihn andere neben dem, was Sie ändern.',
  nameMissing: 'Geben Sie Ihren Namen ein.',
  email: 'E-Mail-Adresse',
  emailHint: 'Mit ihr melden Sie sich an. Es wird nichts dorthin geschickt.',
  emailFault: 'Geben Sie eine E-Mail-Adresse ein, mit einem @ darin.',
  password: 'Passwort',
  passwordHint: 'Mindestens 12 Zeichen. Gut sind einige Wörter, die nicht zusammengehören.',
  passwordFault: 'Wählen Sie ein anderes: 12 bis 256 Zeichen und weder Ihr Name noch Ihre Adresse.',
  create: 'Einrichten und anmelden',
  setPassword: 'Passwort festlegen und anmelden',
};
