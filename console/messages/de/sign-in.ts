import type { en } from '../en/index.ts';

export const signIn: typeof en.signIn = {
  title: 'Anmelden',
  description: 'Konsole dieses Lizenzservers.',
  email: 'E-Mail-Adresse',
  password: 'Passwort',
  wrong: 'Die Adresse oder das Passwort ist falsch.',
  emailMissing: 'Geben Sie Ihre E-Mail-Adresse ein.',
  emailFault: 'Geben Sie eine gültige E-Mail-Adresse ein.',
  passwordMissing: 'Geben Sie Ihr Passwort ein.',
  incomplete: 'Geben Sie Ihre E-Mail-Adresse und Ihr Passwort ein.',
  wait_one: 'Zu viele Versuche. In einer Sekunde können Sie es wieder versuchen.',
  wait_other: 'Zu viele Versuche. In {{count}} Sekunden können Sie es wieder versuchen.',
  expired: 'Die Anmeldung ist abgelaufen, oder zu viele Codes waren falsch. Melden Sie sich noch einmal an.',
  codeTitle: 'Zweiter Faktor',
  codeDescription: 'Bestätigen Sie, dass Sie es sind, um die Anmeldung abzuschließen.',
  code: 'Code',
  codeHint: 'Die sechs Ziffern, die Ihre Authenticator-App gerade zeigt.',
  codeMissing: 'Geben Sie den Code ein.',
  codeWrong: 'Dieser Code ist falsch, oder er wurde schon verwendet.',
  recovery: 'Wiederherstellungscode',
  recoveryHint:
    'Einer der Codes, die Sie beim Einschalten des zweiten Faktors gespeichert haben. Jeder gilt einmal.',
  useRecovery: 'Wiederherstellungscode verwenden',
  useCode: 'Authenticator-App verwenden',
  lost: 'Wenn Sie beides nicht haben, bitten Sie einen Inhaber um einen Link, oder führen Sie auf dem Server „latchkey user reset“ aus.',
  help: {
    open: 'Anmeldung klappt nicht?',
    ask: 'Bitten Sie einen Inhaber um einen Link für ein neues Passwort. Inhaber erstellen ihn auf der Seite „Benutzer“.',
    owner: 'Wenn Sie der einzige Inhaber sind, führen Sie auf dem Server diesen Befehl aus:',
    link: 'Er gibt einen Link aus, mit dem Sie ein neues Passwort setzen. Die Zwei-Faktor-Authentifizierung wird dabei ausgeschaltet.',
  },
  again: {
    title: 'Ihre Sitzung ist zu Ende',
    description: 'Melden Sie sich wieder an, um weiterzumachen. Ihre Eingaben sind noch da.',
    leave: 'Zur Anmeldeseite',
  },
};
