import type { Command } from 'commander';
import { generateKeys } from '../../app/batches/generate-keys.ts';
import { compose, type Generator, generateShape, generatorShape } from '../../domain/generator.ts';
import { LICENSE_SOURCE } from '../../domain/license.ts';
import { failureOf } from '../failure.ts';
import {
  addShapeFlags,
  type Meanings,
  PAGE_MEANINGS,
  pageShape,
  pagingOf,
  readFlags,
  refuseFlags,
} from '../flags.ts';
import { addExamples } from '../help.ts';
import { interruptible } from '../interrupt.ts';
import { changing, OWNER, reading } from '../open.ts';
import { answer, note } from '../output.ts';
import { presentGenerator } from '../present.ts';
import { createProgress } from '../progress.ts';
import type { Run } from '../run.ts';
import { addCommonFlags, type Given } from '../settings.ts';
import { counted, pairs, table } from '../table.ts';

const GENERATOR_MEANINGS: Meanings<typeof generatorShape> = {
  name: ['name', 'What it is called'],
  charset: ['characters', 'The characters that keys are drawn from'],
  chunks: ['n', 'Chunks of a key, 1 to 100'],
  chunkLength: ['n', 'Characters of a chunk, 1 to 100'],
  separator: ['text', 'Between chunks (default: nothing)'],
  prefix: ['text', 'Before the first chunk'],
  suffix: ['text', 'After the last chunk'],
  activationsLimit: ['n', 'Of the licenses saved; 0 for no limit (default: 0)'],
  expiresIn: ['days', 'Days until licenses saved expire; 0 for never (default: 0)'],
};

const GENERATE_MEANINGS: Meanings<typeof generateShape> = {
  amount: ['n', 'How many keys, 1 to 100,000'],
  save: ['', 'Save them as licenses: all of them, or none'],
  status: ['name', 'Of the licenses: sold, delivered, active, inactive, disabled (default: inactive)'],
  orderId: ['id', 'Order that the licenses belong to'],
  productId: ['id', 'Product that the licenses are for'],
  userId: ['id', 'User that the licenses belong to'],
};

export function addGeneratorCommands(program: Command, run: Run): void {
  const generator = program.command('generator').description('Create generators, and license keys with them');
  addCreate(generator, run);
  addList(generator, run);
  addGenerate(generator, run);
}

function addCreate(generator: Command, run: Run): void {
  const command = generator.command('create').description('Create a generator');
  addShapeFlags(command, generatorShape, GENERATOR_MEANINGS);
  addCommonFlags(command);
  addExamples(command, [
    [
      'Keys like ACME-7KQ2M-X9D4R-PLW3H, without letters and digits that look alike',
      'latchkey generator create --name Acme --charset ABCDEFGHJKLMNPQRSTUVWXYZ23456789 --chunks 3 --chunk-length 5 --separator - --prefix ACME-',
    ],
    [
      'For licenses of a year and three devices',
      'latchkey generator create --name Yearly --charset 0123456789ABCDEF --chunks 4 --chunk-length 5 --expires-in 365 --activations-limit 3',
    ],
  ]);
  command.action((given: Given) => {
    const input = readFlags(generatorShape, given);
    return changing(run, async ({ execute }) => {
      const made = await execute('create-generator', input, OWNER);
      if (!made.ok) throw failureOf(made.refusal);
      answer(run, presentGenerator(made.value), () => generatorWords(made.value));
    });
  });
}

const formOf = (generator: Generator): string => compose(generator, () => '#');
const limitOf = ({ activationsLimit }: Generator): string | number =>
  activationsLimit === 0 ? 'none' : activationsLimit;
const lifeOf = ({ expiresIn }: Generator): string => (expiresIn === 0 ? 'never' : counted(expiresIn, 'day'));

const generatorWords = (generator: Generator): string =>
  pairs({
    Id: generator.id,
    Name: generator.name,
    'Form of keys': formOf(generator),
    Characters: generator.charset,
    'Activation limit': limitOf(generator),
    'Expires in': lifeOf(generator),
  });

function addList(generator: Command, run: Run): void {
  const command = generator.command('list').description('List generators, newest first');
  addShapeFlags(command, pageShape, PAGE_MEANINGS);
  addCommonFlags(command);
  addExamples(command, [
    ['The newest', 'latchkey generator list'],
    ['Their names, in a script', "latchkey generator list --limit 1000 --json | jq -r '.generators[].name'"],
  ]);
  command.action((given: Given) => {
    const paging = pagingOf(given);
    return reading(run, async ({ store }) => {
      const { items, total } = await store.read.generators.list(paging);
      const { page, limit } = paging;
      answer(run, { generators: items.map(presentGenerator), total, page, limit }, () =>
        items.length === 0
          ? `No generators${total > 0 ? ` on this page; there are ${total}` : ''}.`
          : generatorTable(items),
      );
    });
  });
}

const generatorTable = (generators: readonly Generator[]): string =>
  table(
    ['ID', 'NAME', 'FORM OF KEYS', 'LIMIT', 'EXPIRES IN', 'CHARACTERS'],
    generators.map((one) => [one.id, one.name, formOf(one), limitOf(one), lifeOf(one), one.charset]),
  );

function addGenerate(generator: Command, run: Run): void {
  const command = generator
    .command('generate')
    .description('Generate license keys, one a line')
    .argument('<id>', 'The id of a generator');
  addShapeFlags(command, generateShape, GENERATE_MEANINGS);
  addCommonFlags(command);
  addExamples(command, [
    ['Ten keys to look at', 'latchkey generator generate 1 --amount 10'],
    [
      'A thousand licenses for a shop to sell, their keys in a file',
      'latchkey generator generate 1 --amount 1000 --save --product-id 7 > keys.txt',
    ],
  ]);
  command.action((id: string, given: Given) => {
    const input = readFlags(generateShape, given);
    if (!input.save)
      refuseFlags(given, ['status', 'orderId', 'productId', 'userId'], 'can only be given with --save');
    const open = input.save ? changing : reading;
    return interruptible(run, 'no key was made', (signal) =>
      open(run, async (service) => {
        const progress = createProgress('keys', run.io.stderr);
        const onProgress = (made: number) => {
          signal.throwIfAborted();
          progress.update(made / input.amount, made);
        };
        const request = { named: id, input, source: LICENSE_SOURCE.generator, onProgress };
        const made = await generateKeys(service, request, OWNER).finally(progress.end);
        if (!made.ok) throw failureOf(made.refusal);
        const saved = input.save === true;
        answer(run, { keys: made.value, saved }, () => made.value.join('\n'));
        if (saved && !given.json) note(run, `Saved ${counted(made.value.length, 'license')}.`);
      }),
    );
  });
}
