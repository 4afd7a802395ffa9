import { EXAMPLES, NOW } from '../example-records.ts';
import { DISABLED } from '../licenses/license.ts';
import {
  ALL_EVENT_TYPES,
  type AnyEventType,
  type Event,
  type EventObject,
  type EventValues,
  TEST_EVENT,
} from './event.ts';
import {
  activationValues,
  apiKeyValues,
  generatorValues,
  licenseValues,
  releaseValues,
  softwareValues,
} from './event-objects.ts';

/** The meaning of an event type, with an example. */
export interface CatalogEntry {
  /** A sentence that says when the event is sent. */
  when: string;
  object: EventObject;
  objectId: number | null;
  data: EventValues;
  previous?: EventValues;
}

type Told = Omit<CatalogEntry, 'when'>;
const at = (day: string) => `${day} ${NOW.slice(11)}`;
const updated = { updatedAt: NOW, updatedBy: 1 };

/** Returns a function that returns the example of a record with some values changed. */
const exampleOf =
  <Example extends { id: number }>(
    object: EventObject,
    example: Example,
    valuesOf: (record: Example) => EventValues,
  ) =>
  (changes: Partial<Example> = {}): Told => ({
    object,
    objectId: example.id,
    data: valuesOf({ ...example, ...changes }),
  });
const licensed = exampleOf('license', EXAMPLES.license, (license) => licenseValues(license, NOW));
const generator = exampleOf('generator', EXAMPLES.generator, generatorValues);
const software = exampleOf('software', EXAMPLES.software, softwareValues);
const release = exampleOf('release', EXAMPLES.release, releaseValues);
const apiKey = exampleOf('api_key', EXAMPLES.apiKey, apiKeyValues);
const updatedLicense = (changes: Partial<typeof EXAMPLES.license>, previous: EventValues): Told => ({
  ...licensed({ ...changes, ...updated }),
  previous,
});
const activated = (changes: Partial<typeof EXAMPLES.activation> = {}, timesActivated = 1): Told => ({
  object: 'activation',
  objectId: EXAMPLES.activation.id,
  data: activationValues(
    { ...EXAMPLES.activation, ...changes },
    { ...EXAMPLES.license, timesActivated },
    NOW,
  ),
});

/** Every type of event. */
export const CATALOG: Readonly<Record<AnyEventType, CatalogEntry>> = {
  'license.created': {
    when: 'A license was created, in whatever way: one event for each license, also of an import or a generator',
    ...licensed({ timesActivated: 0 }),
  },
  'license.updated': {
    when: 'Values of a license were changed. The events for particular changes follow it: disabled, enabled, renewed, expired',
    ...updatedLicense({ activationsLimit: 5 }, { activations_limit: 2 }),
  },
  'license.disabled': {
    when: 'The status of a license was changed to disabled (5)',
    ...updatedLicense({ status: DISABLED }, { status: 3 }),
  },
  'license.enabled': {
    when: 'The status of a license that was disabled was changed to another one',
    ...updatedLicense({}, { status: DISABLED }),
  },
  'license.renewed': {
    when: 'The expiry of a license was moved to a later time, or removed',
    ...updatedLicense({ expiresAt: at('2033-02-03') }, { expires_at: at('2032-02-03') }),
  },
  'license.expiring': {
    when: 'A license expires in as many days as LATCHKEY_EXPIRING_DAYS says, by default 30, 7 and 1: data.days_left; fewer may be left after days without a server. Not sent if the license was in the trash on that day, or was created on it or later',
    ...withMore(licensed({ expiresAt: at('2031-03-05') }), { days_left: 30 }),
  },
  'license.expired': {
    when: 'A license has expired; within two minutes, if a server runs',
    ...licensed({ expiresAt: at('2031-02-03') }),
  },
  'license.limit_reached': {
    when: 'An activation was refused because all seats of the license are taken; at most once an hour for a license',
    ...licensed({ timesActivated: 2 }),
  },
  'license.deleted': { when: 'A license was deleted, with its activations', ...licensed() },
  'license.restored': {
    when: 'A deleted license was restored from the trash, with its activations',
    ...licensed(),
  },
  'license.moved_in': {
    when: 'A shop was moved in from WordPress. Its licenses and activations have no events of their own',
    object: 'move',
    objectId: null,
    data: { plugin: 'dlm', created: 1_204, updated: 0, deleted: 0 },
  },
  'activation.created': { when: 'A device took a seat of a license', ...activated() },
  'activation.reactivated': {
    when: 'An activation that had ended was activated again, with its token',
    ...activated({ updatedAt: NOW }),
  },
  'activation.ended': {
    when: 'An activation ended: it was deactivated or deleted, or its floating seat lapsed (data.ended_as). The event of a lapse may come later: at the latest when another device needs the seat',
    ...activated({ updatedAt: NOW, deactivatedAt: NOW, endedAs: 'deactivated' }, 0),
  },
  'activation.reclaimed': {
    when: 'A device lost its seat to another one, because it was not seen for a long time, or because the customer took over the seat',
    ...activated({ updatedAt: NOW, deactivatedAt: NOW, endedAs: 'reclaimed' }, 0),
  },
  'generator.created': { when: 'A generator was created', ...generator() },
  'generator.updated': {
    when: 'Values of a generator were changed',
    ...generator({ ...updated, activationsLimit: 5 }),
    previous: { activations_limit: 2 },
  },
  'generator.deleted': { when: 'A generator was deleted. Its licenses remain', ...generator() },
  'software.created': { when: 'Software was created', ...software() },
  'software.updated': {
    when: 'Values of software were changed',
    ...software({ ...updated, tested: '6.9' }),
    previous: { tested: '6.8' },
  },
  'software.deleted': { when: 'Software was deleted, with its releases', ...software() },
  'release.created': { when: 'A release was created: published at once, or as a draft', ...release() },
  'release.updated': {
    when: 'Values of a release were changed. The events for particular changes follow it: published, yanked',
    ...release({ ...updated, rollout: 100 }),
    previous: { rollout: 10 },
  },
  'release.published': { when: 'A release was published, or was created so', ...release() },
  'release.yanked': {
    when: 'A release was withdrawn: it is no longer offered',
    ...release({ ...updated, status: 'yanked', yankReason: 'Loses settings' }),
    previous: { status: 'published', yank_reason: '' },
  },
  'release.deleted': { when: 'A release was deleted', ...release() },
  'api_key.created': { when: 'An API key was created, also in place of another one', ...apiKey() },
  'api_key.updated': {
    when: 'The limits of an API key were changed, or its secret by the settings',
    ...apiKey({ permission: 'read' }),
    previous: { permission: 'read_write' },
  },
  'api_key.rotated': {
    when: 'An API key was replaced by another one (data.replaced_by), and ends at data.expires_at. Without a grace period, api_key.revoked follows',
    ...apiKey({ replacedBy: 5, expiresAt: at('2031-02-10') }),
  },
  'api_key.revoked': { when: 'An API key was revoked', ...apiKey({ revokedAt: NOW }) },
  [TEST_EVENT]: {
    when: 'Somebody asked for a test of the endpoint',
    object: 'endpoint',
    objectId: 1,
    data: { description: 'Shop', sent_by: 1 },
  },
};

function withMore(told: Told, more: EventValues): Told {
  return { ...told, data: { ...told.data, ...more } };
}

/** Returns the example of an event type, in the form of a stored event. */
export function exampleEvent(type: AnyEventType): Event {
  const { object, objectId, data, previous } = CATALOG[type];
  const id = 10_407 + ALL_EVENT_TYPES.indexOf(type);
  return {
    id,
    uid: `019aa5c2f1e87d4c9f3b6a2e8d7c${id.toString(16).padStart(4, '0')}`,
    type,
    object,
    objectId,
    productIds: null,
    at: NOW,
    endpointId: null,
    data: JSON.stringify(data),
    previous: previous ? JSON.stringify(previous) : null,
  };
}
