import { SYSTEM } from '../../domain/actor.ts';
import { addSeconds, type Datetime } from '../../domain/datetime.ts';
import { wants } from '../../domain/events/endpoint.ts';
import { licenseValues, productsOf } from '../../domain/events/event-objects.ts';
import type { Refusal } from '../../domain/refusal.ts';
import { isWanted, type Reads } from '../../store/store.ts';
import { defineCommand, type Executes } from '../command.ts';

const TYPE = 'license.limit_reached';
/** Seconds. */
const HOUR = 3_600;

/** Writes the event that a license was full if an endpoint wants it, unless there was one within the last hour. */
export const tellLimitReached = defineCommand({
  name: 'tell-limit-reached',
  guarded: true,
  audit: { never: 'nothing was changed' },
  run: async ({ events, endpoints, licenses }, { id }: { id: number }, { now }): Promise<null> => {
    const since = addSeconds(now, -HOUR) ?? now;
    const onceAt = (at: Datetime) => `limit_reached ${id} ${at.slice(0, 'YYYY-MM-DD HH'.length)}`;
    const once = onceAt(now);
    if (await events.wasTold([onceAt(since), once], since)) return null;
    const license = await licenses.find({ id });
    if (!license) return null;
    const productIds = productsOf(license);
    // Only a stored event keeps the next one back for an hour, and events that no endpoint wants are deleted.
    const event = { type: TYPE, productIds, endpointId: null };
    if (!(await endpoints.list()).some((endpoint) => wants(endpoint, event))) return null;
    const data = licenseValues(license, now);
    await events.insert([{ type: TYPE, object: 'license', objectId: id, productIds, data, once }], now);
    return null;
  },
});

/** Writes the event for a refusal, if an endpoint wants it. The refused command cannot, because it was rolled back. */
export async function tellRefusal(
  read: Pick<Reads, 'events'>,
  execute: Executes<typeof tellLimitReached>,
  refusal: Refusal,
): Promise<void> {
  if (refusal.code !== 'activation_limit_reached') return;
  if (!isWanted(await read.events.wanted(), TYPE)) return;
  await execute('tell-limit-reached', { id: refusal.args.licenseId }, SYSTEM);
}
