import { each, type Requests } from './wire.ts';

const PLAIN = { name: 'Plain', charset: 'ABCDEFGH', chunks: 3, chunk_length: 4, separator: '-' };
/** Marks generated keys, so that the recorder recognizes them. */
const MARKED = { prefix: 'GK-', suffix: '-END' };

const REFUSED: readonly object[] = [
  {},
  { charset: 'AB' },
  { ...PLAIN, name: '' },
  { ...PLAIN, name: null },
  { ...PLAIN, name: 'n'.repeat(256) },
  { ...PLAIN, charset: '' },
  { ...PLAIN, charset: 'x'.repeat(256) },
  { ...PLAIN, chunks: 0 },
  { ...PLAIN, chunks: 101, chunk_length: 'x' },
  { ...PLAIN, chunks: 100, chunk_length: 100 },
  { ...PLAIN, separator: '-'.repeat(65), prefix: 'p'.repeat(65), suffix: 's'.repeat(65) },
  { ...PLAIN, activations_limit: -1, expires_in: '1.0' },
];

/** Generators of the v1 API. */
export const generatorRequests: Requests = async ({ group, api }) => {
  group('generators');
  await api('GET /generators');
  await api('POST /generators', { json: PLAIN });
  await api('POST /generators', {
    json: { ...PLAIN, ...MARKED, name: 'Full', activations_limit: 4, expires_in: 30 },
  });
  await api('POST /licenses', { json: { ...PLAIN, name: 'At licenses', charset: 'ÄÖÜäöüÄ' } });
  await api('POST /licenses', { json: { charset: 'AB' } });
  await api('POST /generators', {
    form: 'name=Small&charset=01&chunks=1&chunk_length=2&prefix=GK-&suffix=-END&separator=',
  });
  for (const json of REFUSED) await api('POST /generators', { json });
  await each(api, [
    'GET /generators',
    'HEAD /generators',
    'GET /generators?per_page=2',
    'GET /generators?per_page=2&page=2',
    'GET /generators?per_page=1&before=3',
    'GET /generators?page=-1',
    'GET /generators/1',
    'HEAD /generators/1',
    'GET /generators/1/',
    'GET /generators/01',
    'GET /generators/77',
    'GET /generators/abc',
    'GET /generators/99999999999999999999',
  ]);
  await api('PUT /generators/1', { json: { name: 'Renamed', prefix: 'P', suffix: '', chunks: '2' } });
  await api('PATCH /generators/1', { json: { separator: null, prefix: null, expires_in: 7 } });
  await api('POST /generators/1', { form: 'activations_limit=9' });
  await api('PUT /generators/1', { json: {} });
  for (const json of [
    { name: '' },
    { name: null },
    { charset: '' },
    { chunks: null, chunk_length: '' },
    { chunks: 100, chunk_length: 90 },
    { activations_limit: 'x' },
  ])
    await api('PUT /generators/1', { json });
  await api('PUT /generators/77', { json: { name: 'x' } });
  await api('PUT /generators/77', { json: { name: '' } });
  await api('POST /generators/2/generate', { json: { amount: 2 } });
  await api('POST /generators/2/generate', {
    json: { amount: 2, save: true, status: 'active', order_id: 2001, product_id: 7, user_id: 8 },
  });
  await api('GET /licenses?order_id=2001');
  await api('POST /generators/2/generate', { form: 'amount=1&save=yes&order_id=2002' });
  await api('GET /licenses?order_id=2002');
  await api('POST /generators/4/generate', { json: { amount: 5 } });
  await api('POST /generators/4/generate', { json: { amount: 3, save: 1, order_id: 2003 } });
  await api('POST /generators/4/generate', { json: { amount: 2, save: 1 } });
  for (const json of [
    {},
    { amount: 0 },
    { amount: 100_001 },
    { amount: '' },
    { amount: 1, save: 'maybe', status: 9, order_id: 'x' },
  ])
    await api('POST /generators/2/generate', { json });
  await api('POST /generators/77/generate', { json: { amount: 1 } });
  await each(api, [
    'GET /generators/2/generate',
    'DELETE /generators/3',
    'DELETE /generators/3',
    'GET /generators/3',
    'DELETE /generators/x',
  ]);
};
