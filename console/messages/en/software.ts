export const software = {
  title: 'Software',
};
