import { generateKeys } from '../../app/batches/generate-keys.ts';
import { compose, fullGenerateShape, type Generator, generatorShape } from '../../domain/generator.ts';
import { LICENSE_SOURCE } from '../../domain/licenses/license.ts';
import { snakeCased } from '../../domain/names.ts';
import { define, group } from '../define.ts';
import { orFail } from '../failure.ts';
import { flagsOf, pageFlags, pagingOf, refuseFlags } from '../flags.ts';
import { interruptible } from '../interrupt.ts';
import { termsFlags } from '../licenses/license-flags.ts';
import { creating, OWNER, opening } from '../open.ts';
import { answer, answerPage, note } from '../output.ts';
import { showProgress } from '../progress.ts';
import { type Columns, counted, pairs } from '../table.ts';

const generatorFlags = flagsOf(generatorShape, {
  name: ['name', 'Name of the generator'],
  charset: ['characters', 'Characters that keys are made of'],
  chunks: ['n', 'Number of chunks in a key, 1 to 100'],
  chunkLength: ['n', 'Characters in a chunk, 1 to 100'],
  separator: ['text', 'Text between chunks (default: none)'],
  prefix: ['text', 'Text before the first chunk'],
  suffix: ['text', 'Text after the last chunk'],
  activationsLimit: ['n', 'Activation limit of saved licenses; 0 for no limit (default: 0)'],
  expiresIn: ['days', 'Days until saved licenses expire; 0 for never (default: 0)'],
  ...termsFlags,
});

const generateFlags = flagsOf(fullGenerateShape, {
  amount: ['n', 'Number of keys, 1 to 100,000'],
  save: ['', 'Save the keys as licenses: all of them, or none'],
  status: ['name', 'Status of the licenses: sold, delivered, active, inactive, disabled (default: inactive)'],
  orderId: ['id', 'Order of the licenses'],
  productId: ['id', 'Product of the licenses'],
  userId: ['id', 'User of the licenses'],
  customerEmail: ['address', 'Email address of the customer, for your team'],
});

const formOf = (generator: Generator): string => compose(generator, () => '#');
const limitOf = ({ activationsLimit }: Generator) => (activationsLimit === 0 ? 'none' : activationsLimit);
const expiryOf = ({ expiresIn }: Generator) => (expiresIn === 0 ? 'never' : counted(expiresIn, 'day'));

const COLUMNS: Columns<Generator> = {
  ID: 'id',
  NAME: 'name',
  'FORM OF KEYS': formOf,
  LIMIT: limitOf,
  'EXPIRES IN': expiryOf,
  CHARACTERS: 'charset',
};

const create = define({
  name: 'create',
  description: 'Create a generator',
  flags: generatorFlags,
  examples: {
    'Keys like ACME-7KQ2M-X9D4R-PLW3H, without letters and digits that look alike':
      'latchkey generator create --name Acme --charset ABCDEFGHJKLMNPQRSTUVWXYZ23456789 --chunks 3 --chunk-length 5 --separator - --prefix ACME-',
    'For licenses for three devices, valid for a year':
      'latchkey generator create --name Yearly --charset 0123456789ABCDEF --chunks 4 --chunk-length 5 --expires-in 365 --activations-limit 3',
  },
  action: ({ run, values }) =>
    creating(run, async ({ execute }) => {
      const generator = orFail(await execute('create-generator', values, OWNER));
      answer(run, snakeCased(generator), () =>
        pairs({
          Id: generator.id,
          Name: generator.name,
          'Form of keys': formOf(generator),
          Characters: generator.charset,
          'Activation limit': limitOf(generator),
          'Expires in': expiryOf(generator),
        }),
      );
    }),
});

const list = define({
  name: 'list',
  description: 'List generators, newest first',
  flags: pageFlags,
  examples: {
    'The newest': 'latchkey generator list',
    'Their names, in a script': "latchkey generator list --limit 1000 --json | jq -r '.generators[].name'",
  },
  action: ({ run, values }) =>
    opening(run, async ({ store }) => {
      const paging = pagingOf(values);
      const listed = await store.read.generators.list(paging);
      answerPage(run, 'generators', listed, paging, snakeCased, COLUMNS);
    }),
});

const generate = define({
  name: 'generate',
  description: 'Generate license keys and print one per line',
  argument: ['<id>', 'Id of the generator'],
  flags: generateFlags,
  examples: {
    'Ten keys, not saved': 'latchkey generator generate 1 --amount 10',
    'A thousand licenses for a shop to sell, with their keys in a file':
      'latchkey generator generate 1 --amount 1000 --save --product-id 7 > keys.txt',
  },
  async action({ run, values: input }, named) {
    const isSaved = input.save === true;
    if (!isSaved)
      refuseFlags(
        run.given,
        ['status', 'orderId', 'productId', 'userId', 'customerEmail'],
        'can only be given with --save',
      );
    const open = isSaved ? creating : opening;
    await interruptible(run, 'no key was made', (signal) =>
      open(run, async (service) => {
        const onProgress = (made: number) => {
          signal.throwIfAborted();
          showProgress(run, 'keys', made / input.amount, made);
        };
        const request = { named, input, source: LICENSE_SOURCE.generator, onProgress };
        const keys = orFail(await generateKeys(service, request, OWNER));
        answer(run, { keys, saved: isSaved }, () => keys);
        if (isSaved && !run.given.json) note(run, `Saved ${counted(keys.length, 'license')}.`);
      }),
    );
  },
});

export const generatorCommands = group(
  'generator',
  'Create generators, and generate license keys with them',
  [create, list, generate],
);
