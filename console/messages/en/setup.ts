export const setup = {
  title: 'Set up Latchkey',
  welcome: 'Welcome, {{name}}',
  passwordTitle: 'Set a password',
  description: {
    setup: 'You become the owner of this server: you may do everything, and let others in.',
    invitation: 'Choose a password to sign in to the console with.',
    reset:
      'Choose a new password. You are signed out everywhere else, and the second factor is switched off.',
  },
  noLink: {
    description: 'Nobody can sign in yet.',
    log: 'When the server starts it prints a link that makes you its owner. Open that link. It works once, and for a day; every start prints a new one.',
    command: 'You can also create the owner on the command line of the server, which prints a link, too:',
  },
  bad: {
    title: 'This link does not work, or not any more',
    next: 'A link works once, and for a time. Ask whoever sent it for a new one; the link to set up the server is printed anew when that is restarted.',
  },
  toSignIn: 'Go to sign in',
  name: 'Your name',
  nameHint: 'As others see it beside what you change.',
  nameMissing: 'Enter your name.',
  email: 'Email address',
  emailHint: 'You sign in with it. Nothing is sent to it.',
  emailFault: 'Enter an email address, with an @ in it.',
  password: 'Password',
  passwordHint: 'At least 12 characters. A few words that do not belong together do well.',
  passwordFault: 'Choose another: 12 to 256 characters, and neither your name nor your address.',
  create: 'Set up and sign in',
  setPassword: 'Set the password and sign in',
};
