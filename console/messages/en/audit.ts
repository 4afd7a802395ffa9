export const audit = {
  title: 'Audit trail',
};
