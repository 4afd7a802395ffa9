import { placeAllEvents } from '../../app/events/place-events.ts';
import { readEvents, shownEvent } from '../../app/events/reading.ts';
import { integer, MAX_REFERENCE, optional } from '../../domain/fields.ts';
import { define } from '../define.ts';
import { orFail } from '../failure.ts';
import { flagsOf } from '../flags.ts';
import { OWNER, opening } from '../open.ts';
import { printableJson } from '../table.ts';
import { NAMED } from './endpoint-words.ts';

/** Events to read at a time. */
const AT_ONCE = 100;

/** Prints the events as a webhook or a polling program gets them. */
export const events = define({
  name: 'events',
  description: 'Print the events of an endpoint in order, each as one line of JSON',
  argument: NAMED,
  flags: flagsOf(
    {
      after: optional(integer({ max: MAX_REFERENCE })),
      limit: optional(integer({ min: 1 })),
    },
    {
      after: ['seq', 'Only events with a higher seq (default: 0)'],
      limit: ['n', 'Maximum number of events (default: all)'],
    },
  ),
  json: false,
  examples: {
    'All that are still kept': 'latchkey events 1',
    'Which licenses expired after event 4711':
      'latchkey events 1 --after 4711 | jq \'select(.type == "license.expired") | .data.id\'',
  },
  action: ({ run, values: { after, limit } }, named) =>
    opening(run, async ({ store, execute }) => {
      await placeAllEvents(execute);
      const { signal } = new AbortController();
      let [last, left] = [after ?? 0, limit ?? Number.MAX_SAFE_INTEGER];
      for (;;) {
        const asked = { after: last, limit: Math.min(AT_ONCE, left), wait: 0, signal };
        const page = orFail(await readEvents(store.read, named, asked, OWNER));
        for (const event of page.events) run.io.stdout.write(`${printableJson(shownEvent(event))}\n`);
        left -= page.events.length;
        last = page.events.at(-1)?.seq ?? last;
        if (page.events.length === 0 || left === 0) return;
      }
    }),
});
