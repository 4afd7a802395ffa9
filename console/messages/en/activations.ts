export const activations = {
  title: 'Activations',
};
