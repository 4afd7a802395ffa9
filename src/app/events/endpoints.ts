import { type Actor, isPerson } from '../../domain/actor.ts';
import { addDays, type Datetime } from '../../domain/datetime.ts';
import { dueNow } from '../../domain/events/delivery.ts';
import {
  ENDPOINT_DEFAULTS,
  ENDPOINTS_MAX,
  type EndpointChanges,
  type EndpointSecrets,
  type EventEndpoint,
  type NewEndpoint,
  NO_FAILURES,
  type OwnHeaders,
  reachesEndpoint,
} from '../../domain/events/endpoint.ts';
import { FORMAT, type NewEvent, TEST_EVENT } from '../../domain/events/event.ts';
import { reference } from '../../domain/fields.ts';
import { done, invalid, notFound, type Outcome, refused } from '../../domain/refusal.ts';
import type { EndpointRow, Reads, Transaction } from '../../store/store.ts';
import { type Context, defineCommand } from '../command.ts';
import { newEndpointSecrets, newSecret } from './signature.ts';

const idField = reference();

/** Finds an endpoint by its id as sent. */
export async function findEndpoint(
  reads: Pick<Reads, 'endpoints'>,
  named: string,
  actor: Actor,
): Promise<Outcome<EventEndpoint>> {
  const read = idField.read(named);
  const found = read.ok ? await reads.endpoints.find(read.value) : null;
  return found && reachesEndpoint(actor, found) ? done(found) : notFound('event_endpoint', named);
}

/** Returns the endpoints that exist for the actor, newest first. */
export const listEndpoints = async (
  { endpoints }: Pick<Reads, 'endpoints'>,
  actor: Actor,
): Promise<EventEndpoint[]> => (await endpoints.list()).filter((one) => reachesEndpoint(actor, one));

/** An endpoint with its new secret, to show once; the secret of a polled endpoint is null. */
export interface EndpointWithSecret {
  endpoint: EventEndpoint;
  secret: string | null;
}

/** Creates an endpoint. */
export const createEndpoint = defineCommand({
  name: 'create-event-endpoint',
  audit: 'always',
  run: async (
    { endpoints },
    { values }: { values: NewEndpoint },
    { actor, now, record },
  ): Promise<Outcome<EndpointWithSecret>> => {
    const { headers, isEnabled, ...given } = values;
    const kind = given.kind ?? ENDPOINT_DEFAULTS.kind;
    const isWebhook = kind === 'webhook';
    if (isWebhook && given.url === null) return invalid('url', 'required');
    const unused = isWebhook ? null : onlyOfWebhooks(values);
    if (unused) return invalid(unused, 'only_of_webhooks');
    const products = ownProducts(actor, given.products);
    if (!products.ok) return products;
    if ((await endpoints.list()).length >= ENDPOINTS_MAX)
      return refused('too_many_event_endpoints', { max: ENDPOINTS_MAX });
    const made = isWebhook ? newEndpointSecrets() : null;
    const row: EndpointRow = {
      kind,
      description: given.description ?? ENDPOINT_DEFAULTS.description,
      url: given.url,
      types: given.types,
      products: products.value,
      isOrdered: given.isOrdered ?? ENDPOINT_DEFAULTS.isOrdered,
      format: FORMAT,
      headerNames: Object.keys(headers ?? {}),
      publicKey: made?.publicKey ?? null,
      oldSecretUntil: null,
      ...stateOf(isEnabled ?? ENDPOINT_DEFAULTS.isEnabled),
      lastSeq: 0,
      ...NO_FAILURES,
      lastSuccessAt: null,
      lastFailureAt: null,
      lastError: null,
      createdAt: now,
      createdBy: actor.userId,
      updatedAt: null,
      updatedBy: null,
    };
    const id = await endpoints.insert(row, made && { ...made, oldSecret: null, headers: headers ?? {} });
    record({ action: 'event_endpoint.create', id, after: row });
    return done({ endpoint: { ...row, id }, secret: made?.secret ?? null });
  },
});

const stateOf = (isEnabled: boolean): Pick<EventEndpoint, 'state' | 'disabledAs'> =>
  isEnabled ? { state: 'enabled', disabledAs: null } : { state: 'disabled', disabledAs: 'person' };

/** Returns the first value sent that a polled endpoint cannot have; null if there is none. */
const onlyOfWebhooks = ({ url, isOrdered, headers }: Partial<NewEndpoint>): string | null =>
  (url && 'url') || (isOrdered && 'isOrdered') || (headers && 'headers') || null;

/** Returns the products of an endpoint. An actor limited to products chooses among these; null means all of them. */
function ownProducts(
  { products: own }: Actor,
  given: readonly number[] | null,
): Outcome<readonly number[] | null> {
  if (own === null) return done(given);
  if (given === null) return done(own);
  return given.every((product) => own.includes(product))
    ? done(given)
    : invalid('products', 'product_out_of_reach', { products: own });
}

/**
 * Changes the values sent. Enabling an endpoint, or a new address, makes its waiting deliveries due now. A new address also
 * enables an endpoint that Latchkey has stopped. If an actor limited to products sets it, waiting deliveries of other products
 * are given up.
 */
export const updateEndpoint = defineCommand({
  name: 'update-event-endpoint',
  audit: 'always',
  run: async (
    transaction,
    { named, changes }: { named: string; changes: EndpointChanges },
    { actor, now, record },
  ): Promise<Outcome<EventEndpoint>> => {
    // Lock out `place-events`: it must not number deliveries with the old `isOrdered`.
    if (changes.isOrdered) await transaction.events.lock();
    const found = await findEndpoint(transaction, named, actor);
    if (!found.ok || Object.keys(changes).length === 0) return found;
    const before = found.value;
    const { headers, isEnabled, isOrdered, description, products: given, ...values } = changes;
    const unused = before.kind === 'webhook' ? null : onlyOfWebhooks(changes as Partial<NewEndpoint>);
    if (unused) return invalid(unused, 'only_of_webhooks');
    if (before.kind === 'webhook' && values.url === null) return invalid('url', 'empty');
    // Headers hold credentials for the old receiver: do not send them to another origin.
    if (headers === undefined && before.headerNames.length > 0 && isElsewhere(before.url, values.url))
      return invalid('headers', 'required');
    const products = given === undefined ? done(before.products) : ownProducts(actor, given);
    if (!products.ok) return products;
    const isMoved = values.url !== undefined && values.url !== before.url;
    const changed: Partial<EventEndpoint> = {
      ...values,
      products: products.value,
      ...(description !== undefined && { description: description ?? ENDPOINT_DEFAULTS.description }),
      ...(isOrdered !== undefined && { isOrdered: isOrdered ?? ENDPOINT_DEFAULTS.isOrdered }),
      ...(headers !== undefined && { headerNames: Object.keys(headers ?? {}) }),
      // A new address is a new receiver: failures of the old receiver do not count.
      ...(isMoved && { ...NO_FAILURES, ...(before.state === 'failing' && stateOf(true)) }),
      ...(isEnabled !== undefined && { ...stateOf(isEnabled), ...NO_FAILURES }),
      // An ordered endpoint was paused until the next attempt of one delivery. The others need not wait for it any more.
      ...(before.isOrdered && isOrdered !== undefined && !isOrdered && { pausedUntil: null }),
      updatedAt: now,
      updatedBy: actor.userId,
    };
    const after = { ...before, ...changed };
    const secrets = headers === undefined ? undefined : await withHeaders(transaction, before, headers ?? {});
    await transaction.endpoints.update(before.id, changed, secrets);
    const isFirst = after.isOrdered && !before.isOrdered;
    // Earlier events, from before the endpoint was limited, must not go to the address of a partner.
    if (isMoved && actor.products) await transaction.deliveries.giveUp(before.id, actor.products);
    if (isEnabled || isMoved || isFirst) await transaction.deliveries.hasten(before.id, dueNow(after, now));
    record({ action: 'event_endpoint.update', id: before.id, before, after });
    return done(after);
  },
});

const isElsewhere = (before: string | null, after: string | null | undefined): boolean =>
  typeof after === 'string' && URL.parse(after)?.origin !== URL.parse(before ?? '')?.origin;

async function withHeaders(
  { endpoints }: Pick<Transaction, 'endpoints'>,
  { id }: EventEndpoint,
  headers: OwnHeaders,
): Promise<EndpointSecrets | undefined> {
  const secrets = await endpoints.secrets(id);
  return secrets ? { ...secrets, headers } : undefined;
}

/** Deletes an endpoint. Housekeeping deletes its deliveries. */
export const deleteEndpoint = defineCommand({
  name: 'delete-event-endpoint',
  audit: 'always',
  run: async (transaction, { named }: { named: string }, { actor, record }): Promise<Outcome<null>> => {
    const found = await findEndpoint(transaction, named, actor);
    if (!found.ok) return found;
    await transaction.endpoints.delete(found.value.id);
    record({ action: 'event_endpoint.delete', id: found.value.id, before: found.value });
    return done(null);
  },
});

/** Days after a rotation in which the old secret signs too. */
const OVERLAP_DAYS = 1;

/** Replaces the secret of a webhook. For another day, the old secret signs too; an older one ends at once. */
export const rotateEndpointSecret = defineCommand({
  name: 'rotate-event-secret',
  audit: 'always',
  run: async (
    transaction,
    { named }: { named: string },
    { actor, now, record },
  ): Promise<Outcome<EndpointWithSecret>> => {
    const found = await findEndpoint(transaction, named, actor);
    if (!found.ok) return found;
    const { id } = found.value;
    const secrets = await transaction.endpoints.secrets(id);
    if (!secrets) return refused('event_endpoint_polled');
    const secret = newSecret();
    const oldSecretUntil = addDays(now, OVERLAP_DAYS) as Datetime;
    const changed = { oldSecretUntil, updatedAt: now, updatedBy: actor.userId };
    await transaction.endpoints.update(id, changed, { ...secrets, secret, oldSecret: secrets.secret });
    record({ action: 'event_endpoint.rotate_secret', id, about: { old_secret_until: oldSecretUntil } });
    return done({ endpoint: { ...found.value, ...changed }, secret });
  },
});

/** Sends a test event to one endpoint, whatever event types the endpoint has chosen. */
export const sendTestEvent = defineCommand({
  name: 'send-test-event',
  audit: { never: 'the deliveries of the endpoint show it' },
  run: async (transaction, { named }: { named: string }, context): Promise<Outcome<null>> => {
    const found = await findEndpoint(transaction, named, context.actor);
    if (!found.ok) return found;
    if (found.value.state === 'disabled') return refused('event_endpoint_disabled');
    await transaction.events.insert([testEvent(found.value, context)], context.now);
    return done(null);
  },
});

const testEvent = ({ id, description }: EventEndpoint, { actor }: Context): NewEvent => ({
  type: TEST_EVENT,
  object: 'endpoint',
  objectId: id,
  productIds: null,
  endpointId: id,
  data: { description, sent_by: isPerson(actor) ? actor.userId : null },
});
