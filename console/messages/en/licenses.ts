export const licenses = {
  title: 'Licenses',
};
