import Type from 'typebox';
import type { presentSeat, presentUpdate } from './present.ts';

// The answers in the API document, and examples of them.

const time = (description: string) => Type.String({ format: 'date-time', description });
const timeOrNull = (description: string) => Type.Union([time(description), Type.Null()], { description });

export const Seat = Type.Object(
  {
    activation: Type.Object({
      id: Type.Integer(),
      token: Type.Optional(Type.String({ description: 'From activate only. Store it before anything else' })),
      label: Type.Union([Type.String(), Type.Null()]),
      created_at: time(''),
      seat_expires_at: timeOrNull('When a floating seat lapses; null if the seat is kept'),
    }),
    license: Type.Object({
      id: Type.Integer(),
      status: Type.String({ description: 'In lower case' }),
      product: Type.Union([Type.Integer(), Type.Null()]),
      expires_at: timeOrNull('Null for a permanent license'),
      seats: Type.Object({
        used: Type.Integer(),
        limit: Type.Union([Type.Integer(), Type.Null()], { description: 'Null without a limit' }),
      }),
      entitlements: Type.Array(Type.String(), {
        description: 'Names of the features that the customer may use',
      }),
    }),
    lease: Type.Union([Type.String(), Type.Null()], {
      description:
        'A signed statement that the device may use the program for some time, which programs check without a network. Null if no time is left; if the device was activated with a fingerprint before there were leases and has not sent it since; and if activate is repeated with its Idempotency-Key, and since then the seat has ended, or the license has expired or was disabled (then validate says whether the program may run)',
    }),
  },
  { title: 'Seat' },
);
/** Beginning of a lease, for the examples. */
const LEASE = 'eyJhbGciOiJFZERTQSIsInR5cCI6ImxrLWxlYXNlK2p3dCIs…';
export const seat = (token?: string, lease = LEASE): ReturnType<typeof presentSeat> => ({
  activation: {
    id: 41,
    ...(token && { token }),
    label: 'Laptop',
    created_at: '2031-02-03T04:05:06Z',
    seat_expires_at: null,
  },
  license: {
    id: 7,
    status: 'active',
    product: 12,
    expires_at: '2032-02-03T04:05:06Z',
    seats: { used: 2, limit: 5 },
    entitlements: ['pro'],
  },
  lease,
});

const Update = Type.Object(
  {
    version: Type.String(),
    published_at: timeOrNull('The first publication'),
    notes_markdown: Type.String({
      description: 'The changelogs of all versions above the installed one, as the vendor wrote them',
    }),
    notes_html: Type.String({ description: 'The same as HTML that is safe in any page' }),
    download_url: Type.Union([Type.String({ format: 'uri' }), Type.Null()], {
      description: 'For a plain GET, with ranges; null if the license does not allow the download',
    }),
    denied: Type.Optional(Type.String({ description: 'Why download_url is null: the code of an error' })),
    size: Type.Union([Type.Integer(), Type.Null()], { description: 'Bytes' }),
    sha256: Type.Union([Type.String(), Type.Null()], { description: '64 hex digits' }),
    signature: Type.Null({ description: 'Releases have none yet' }),
    critical: Type.Boolean({ description: 'Always false for now' }),
  },
  { title: 'DeviceUpdate' },
);
export const UpdateCheck = Type.Object(
  { update: Type.Union([Update, Type.Null()], { description: 'Null if there is none' }) },
  { title: 'UpdateCheck' },
);
export const update: NonNullable<ReturnType<typeof presentUpdate>> = {
  version: '1.4.0',
  published_at: '2031-02-03T04:05:06Z',
  notes_markdown: '- Starts faster',
  notes_html: '<ul>\n<li>Starts faster</li>\n</ul>',
  download_url: 'https://licenses.example.com/client/v1/downloads/AgAAAAAAAAAJ.9Qm1cV0b',
  size: 8_388_608,
  sha256: '2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae',
  signature: null,
  critical: false,
};

export const Problem = Type.Object(
  {
    type: Type.String({ format: 'uri', description: 'The address of the documentation of this error' }),
    title: Type.String(),
    status: Type.Integer({ description: 'The HTTP status' }),
    code: Type.String({ description: 'Decide by this; it does not change' }),
    detail: Type.String({ description: 'In English' }),
    params: Type.Optional(
      Type.Record(Type.String(), Type.String(), {
        description: 'invalid_request: the problem of each field; empty if it is not about a field',
      }),
    ),
    expired_at: Type.Optional(time('license_expired: since when')),
    holders: Type.Optional(
      Type.Array(Type.Object({ label: Type.Union([Type.String(), Type.Null()]), last_seen_at: time('') }), {
        description: 'seat_limit_reached: devices with a seat, newest first, their labels masked',
      }),
    ),
    frees_at: Type.Optional(
      timeOrNull('seat_limit_reached: when the next seat is free; null if none ends by itself'),
    ),
    takeover_allowed: Type.Optional(
      Type.Boolean({ description: 'seat_limit_reached: whether activate with takeover may succeed' }),
    ),
    reason: Type.Optional(
      Type.String({ description: 'activation_ended: deactivated, reclaimed, lapsed or license_deleted' }),
    ),
  },
  { title: 'Problem', description: 'RFC 9457' },
);
