import type { en } from '../en/index.ts';

export const signIn: typeof en.signIn = {
  title: 'Anmelden',
  description: 'An der Konsole dieses Lizenzservers.',
  email: 'E-Mail-Adresse',
  password: 'Passwort',
  signIn: 'Anmelden',
  wrong: 'Die Adresse oder das Passwort ist falsch.',
  emailMissing: 'Geben Sie Ihre E-Mail-Adresse ein.',
  emailFault: 'Eine E-Mail-Adresse enthält ein @.',
  passwordMissing: 'Geben Sie Ihr Passwort ein.',
  incomplete: 'Geben Sie Ihre E-Mail-Adresse und Ihr Passwort ein.',
  wait_one: 'Zu viele Versuche. In einer Sekunde können Sie es wieder versuchen.',
  wait_other: 'Zu viele Versuche. In {{count}} Sekunden können Sie es wieder versuchen.',
  expired: 'Es hat zu lange gedauert, oder zu viele Codes waren falsch. Melden Sie sich noch einmal an.',
  codeTitle: 'Zweiter Faktor',
  codeDescription: 'Ihr Passwort war richtig. Zeigen Sie nun, dass Sie es sind.',
  code: 'Code',
  codeHint: 'Die sechs Ziffern, die Ihre Authenticator-App gerade zeigt.',
  codeMissing: 'Geben Sie den Code ein.',
  codeWrong: 'Dieser Code ist falsch, oder er wurde schon verwendet.',
  recovery: 'Wiederherstellungscode',
  recoveryHint:
    'Einer von denen, die Sie beim Einschalten des zweiten Faktors aufbewahrt haben. Jeder gilt einmal.',
  useRecovery: 'Wiederherstellungscode verwenden',
  useCode: 'Authenticator-App verwenden',
  lost: 'Wenn Sie beides nicht haben, kann Ihnen ein Inhaber einen Link schicken, oder wer den Server betreibt: latchkey user reset.',
  again: {
    title: 'Ihre Sitzung ist zu Ende',
    description:
      'Melden Sie sich wieder an, um weiterzumachen, wo Sie waren: Was Sie eingegeben haben, ist noch da.',
    leave: 'Zur Anmeldeseite',
  },
};
