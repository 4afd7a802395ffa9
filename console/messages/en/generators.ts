export const generators = {
  title: 'Generators',
  description: 'A generator says what new license keys look like.',
  column: {
    name: 'Name',
    pattern: 'Keys look like',
    charset: 'Characters',
    limit: 'Activations',
    expires: 'Good for',
    created: 'Created',
  },
  days_one: '{{count}} day',
  days_other: '{{count}} days',
  forever: 'Does not expire',
  empty: 'No generators yet',
  emptyNext: 'Create one to make license keys of your own form.',
};
