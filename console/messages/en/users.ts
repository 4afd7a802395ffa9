export const users = {
  title: 'Users',
  description: 'People who can sign in to this console, and their roles.',
  create: 'Invite user',
  createAction: 'Create invitation link',
  empty: 'No users yet',
  you: 'You',
  on: 'On',
  off: 'Off',
  roles: 'What each role can do',
  column: {
    role: 'Role',
    totp: 'Two-factor',
    seen: 'Last active',
  },
  status: { active: 'Active', invited: 'Invited', disabled: 'Disabled' },
  /** What each role may do. */
  role: {
    owner: 'Full access, including users.',
    manager:
      'Everything except users and backups: licenses with full keys, generators, software, imports, API keys and the audit trail.',
    support:
      'Can find, create and edit licenses. Cannot delete anything or manage API keys. Keys are masked; showing one is recorded in the audit trail.',
    viewer: 'Read-only access to licenses and software. Keys stay masked.',
  },
  email: 'Email address',
  saved: '{{name}} saved.',
  ownRole: 'This is your own account. Changing its role signs you out, and you may lose access to this page.',
  roleChanges:
    'Changing the role signs the user out. API keys and event endpoints that the user created keep working: revoke or replace the keys that the user knows, and delete the endpoints that you do not know.',
  inviteAgain: 'New invitation link',
  enable: 'Enable',
  enabled: '{{name}} can sign in again.',
  disabled: '{{name}} is disabled.',
  totpRemoved: 'Two-factor authentication is off for {{name}}.',
  disable: {
    title: 'Disable {{name}}?',
    body: 'The user is signed out everywhere and cannot sign in until you enable them again. Their audit trail entries are kept. API keys and event endpoints that they created keep working: revoke or replace the keys that they know, and delete the endpoints that you do not know.',
    action: 'Disable',
  },
  reset: {
    title: 'Reset the password for {{name}}?',
    body: 'You get a link to send to the user. The current password works until the link is used. Setting a new password turns off two-factor authentication and ends all sessions.',
    action: 'Reset password',
  },
  removeTotp: {
    title: 'Turn off two-factor authentication for {{name}}?',
    body: 'The user is signed out everywhere and signs in with the password alone. Make sure that it was the user who asked for this.',
    action: 'Turn off two-factor authentication',
  },
  link: {
    invitation: 'Link for {{name}}',
    reset: 'Link for {{name}}',
    title: 'Link to set a password',
    name: 'Link',
    send: 'Send this link to {{name}} over a private channel: anyone who opens it can set the password. The server does not send it.',
    until: 'Works once, until',
  },
};
