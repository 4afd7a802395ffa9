export const setup = {
  title: 'Set up Latchkey',
  welcome: 'Welcome, {{name}}',
  passwordTitle: 'Set a password',
  description: {
    setup: 'You become the owner of this server, with full access, and can invite other users.',
    invitation: 'Choose a password for signing in to the console.',
    reset:
      'Choose a new password. This signs you out everywhere else and turns off two-factor authentication.',
  },
  noLink: {
    description: 'This server has no owner yet.',
    log: 'Each start of the server prints a new setup link, or, under systemd, writes it to first-start.txt in the data directory. Open the newest link to become the owner. It works once and for a day.',
    command: 'You can also create the owner on the server’s command line, which prints a link too:',
  },
  bad: {
    title: 'This link is invalid or has expired',
    next: 'Each link works once and for a limited time. Ask the sender for a new one. For a new setup link, restart the server.',
  },
  toSignIn: 'Go to sign in',
  name: 'Your name',
  nameHint: 'Shown to other users next to your changes.',
  nameMissing: 'Enter your name.',
  email: 'Email address',
  emailHint: 'Used to sign in. The server sends no email.',
  emailFault: 'Enter a valid email address.',
  password: 'Password',
  passwordHint: 'At least 12 characters. A few unrelated words work well.',
  passwordFault: 'Use 12 to 256 characters, but not your name or email address.',
  create: 'Set up and sign in',
  setPassword: 'Set password and sign in',
};
