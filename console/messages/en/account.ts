export const account = {
  title: 'Your account',
};
