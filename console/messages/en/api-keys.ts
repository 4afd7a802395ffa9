export const apiKeys = {
  title: 'API keys',
};
