import { text as readAll } from 'node:stream/consumers';
import { createEventEndpoint, updateEventEndpoint } from '../../app/events/new-endpoint.ts';
import { ENDPOINT_KINDS, endpointShape, type OwnHeaders, ownHeaders } from '../../domain/events/endpoint.ts';
import { EVENT_TYPES } from '../../domain/events/event.ts';
import { good, oneOf, optional, reference, refined, required } from '../../domain/fields.ts';
import { webAddress } from '../../domain/web-address.ts';
import { inWords } from '../../words/problems.ts';
import { define, listNote } from '../define.ts';
import { invalidValues, orFail } from '../failure.ts';
import { commaSeparated, flagsOf, refuseNoChange, toggle } from '../flags.ts';
import { creating, OWNER, opening } from '../open.ts';
import { answer } from '../output.ts';
import { endpointWords, NAMED, presentEndpoint, secretLines } from './endpoint-words.ts';

const yesOrNo = required(refined(oneOf(['yes', 'no']), (word) => good(word === 'yes')));

const endpointFlags = flagsOf(
  {
    description: endpointShape.description,
    types: optional(commaSeparated(oneOf(EVENT_TYPES))),
    products: optional(commaSeparated(reference())),
    ordered: yesOrNo,
  },
  {
    description: ['text', 'What it is for'],
    types: ['names', 'Only events of these types, separated by commas (default: all)'],
    products: [
      'ids',
      'Only events about licenses and software of these products, separated by commas (default: all)',
    ],
    ordered: ['yes|no', 'Whether an event waits until the one before it is delivered (default: no)'],
  },
);

/** Flags that are not named as their field is. */
const FLAGS = { isOrdered: 'ordered' };
const URL_HELP = ['address', 'Where a webhook is sent to: https://…'] as const;
const headersFlag = {
  headers: toggle(
    'Read your own headers from standard input, one "Name: value" per line (flags would show in process lists)',
  ),
};

export const create = define({
  name: 'create',
  description: 'Create an event endpoint; the secret of a webhook is shown only once',
  flags: {
    ...flagsOf(
      { kind: optional(oneOf(ENDPOINT_KINDS)), url: endpointShape.url },
      {
        kind: [
          'name',
          'webhook: the server sends events to an address; poll: a program fetches them (default: webhook)',
        ],
        url: URL_HELP,
      },
    ),
    ...endpointFlags,
    ...headersFlag,
  },
  defaults: { ordered: 'no' },
  notes: listNote('Types', EVENT_TYPES),
  examples: {
    'A webhook that gets all events': 'latchkey event-endpoint create --url https://crm.example.com/latchkey',
    'For mails to customers whose licenses expire, in order, with a header for the receiver':
      'latchkey event-endpoint create --url https://mail.example.com/hook --types license.expiring,license.expired --ordered yes --headers < headers.txt',
    'For a program that fetches events': 'latchkey event-endpoint create --kind poll --description CRM',
  },
  async action({ run, values: { ordered, headers, ...values } }) {
    const own = headers ? await readHeaders(run.io.stdin) : null;
    await creating(run, async (service) => {
      const input = { ...values, isOrdered: ordered, headers: own, isEnabled: null };
      const { endpoint, secret } = orFail(await createEventEndpoint(service, input, OWNER), FLAGS);
      answer(run, { ...presentEndpoint(endpoint), secret }, () =>
        secret === null
          ? `Created event endpoint ${endpoint.id}. Read its events: latchkey events ${endpoint.id}`
          : [
              `Created event endpoint ${endpoint.id}. Its secret is shown only once:`,
              ...['', ...secretLines(secret, endpoint.publicKey)],
            ],
      );
    });
  },
});

export const update = define({
  name: 'update',
  description: 'Change an event endpoint; values without a flag stay as they are',
  argument: NAMED,
  flags: headersFlag,
  changes: {
    ...flagsOf({ url: required(webAddress) }, { url: URL_HELP }),
    ...endpointFlags,
    ...flagsOf(
      { enabled: yesOrNo },
      { enabled: ['yes|no', 'yes: send it events, and at once those that wait; no: send it none'] },
    ),
  },
  notes: listNote('Types', EVENT_TYPES),
  examples: {
    'Other types of events': 'latchkey event-endpoint update 1 --types license.created,license.deleted',
    'All products': 'latchkey event-endpoint update 1 --clear products',
    'To send at once what waits, when the receiver works again':
      'latchkey event-endpoint update 1 --enabled yes',
  },
  async action({ run, values, changes: { ordered, enabled, ...rest } }, named) {
    const headers = values.headers ? await readHeaders(run.io.stdin) : undefined;
    const changes = {
      ...rest,
      ...(ordered !== undefined && { isOrdered: ordered }),
      ...(enabled !== undefined && { isEnabled: enabled }),
      ...(headers !== undefined && { headers }),
    };
    refuseNoChange(changes);
    await opening(run, async (service) => {
      const endpoint = orFail(await updateEventEndpoint(service, { named, changes }, OWNER), FLAGS);
      answer(run, presentEndpoint(endpoint), () => endpointWords(endpoint));
    });
  },
});

/** Reads headers from lines like `Name: value`; none from an empty input. @throws Failure, which does not repeat them */
async function readHeaders(input: NodeJS.ReadableStream): Promise<OwnHeaders | null> {
  const lines = (await readAll(input)).split(/\r?\n/).filter((line) => line.trim() !== '');
  const parts = lines.map((line) => /^([^:]+):[ \t]*(.*?)[ \t]*$/.exec(line));
  if (parts.includes(null))
    throw invalidValues({ headers: 'needs lines like "Name: value" on standard input.' });
  const names = parts.map((part) => (part?.[1] ?? '').toLowerCase());
  if (new Set(names).size < names.length) throw invalidValues({ headers: 'needs each header once.' });
  const read = ownHeaders.read(Object.fromEntries(parts.map((part) => [part?.[1], part?.[2]])));
  if (!read.ok) throw invalidValues({ headers: inWords(read.problem) });
  return lines.length === 0 ? null : read.value;
}
