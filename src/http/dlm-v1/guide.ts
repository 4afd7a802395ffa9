import { WEBHOOKS } from './event-webhooks.ts';
import { OUTSIDE_ROUTES } from './route-schema.ts';

/** The groups of operations in the API document, in their order. */
const TAGS = [
  {
    name: 'Activations',
    description:
      'What your program does on a customer’s device: activate once, validate at each start, deactivate.',
  },
  { name: 'Licenses', description: 'What a shop or a script does: issue licenses, change and find them.' },
  { name: 'Generators', description: 'Templates of license keys, and new keys made from them.' },
  { name: 'Software', description: 'Programs that get updates, and what updaters ask and download.' },
  { name: 'Releases', description: 'Versions of software, each with a file.' },
  { name: 'Audit', description: 'Who changed what, and how often licenses are used.' },
  {
    name: 'Events',
    description:
      'Changes to licenses and other records, sent to your systems (webhooks) or read by them in order.',
  },
];

/**
 * Returns the introduction of the API document and of its page, in Markdown.
 * @param apiRoot path of the API on the server
 */
const guide = (apiRoot: string): string => `\
Issue license keys with this API; activate and validate them in your programs; deliver updates.

Programs that you ship need only the group “Devices”, and no API key: go to [Programs without a
secret](#programs-without-a-secret). Everything else is the REST API v1 of Digital License Manager, for your shop, your
scripts and programs in the field. The sections up to there are about v1.

The examples below need curl, Node.js 18, Python 3 or PHP 8, and no packages; save JavaScript as \`.mjs\`. They read three
variables:

\`\`\`sh
export ROOT=https://licenses.example.com${apiRoot}
export KEY=ck_… SECRET=cs_…
\`\`\`

## Authentication

Each request to the v1 API needs the consumer key and the secret of an API key, as HTTP Basic: the key is the user, the secret the
password. \`consumer_key\` and \`consumer_secret\` in the query do the same; use them only where a client cannot send
headers, because servers log addresses.

Make API keys in the console, or with \`latchkey api-key create\`. A program that speaks the v1 API carries a key with
few permissions: \`latchkey api-key create --preset client\`. Everybody can read it out of the program.

## Requests

Parameters are the union of query and body; the body wins. A body is a JSON object or a form. In queries and forms, brackets
nest: \`meta[os]=linux\` is an object, \`status[]=1&status[]=2\` a list. Without brackets, the last value of a repeated name
counts. Percent-encode license keys in addresses. Unknown parameters are ignored. Datetimes are \`YYYY-MM-DD HH:MM:SS\` in
UTC.

## Answers

A success is status 200 and \`{"success": true, "data": …}\`. New fields may appear: ignore those that you do not know.

**A validation succeeds for expired and disabled licenses, too.** Before a program runs, it checks that
\`data.license.is_expired\` is false and \`data.license.status\` is not 5 (disabled).

## Errors

The body of an error is \`{"code": "…", "message": "…", "data": {"status": 404}}\`. Decide by the status and the code; show the
message to people. An answer without a code is not from this API, but from a proxy or a Wi-Fi portal. \`data.params\` names
each invalid parameter.

| status | code | meaning |
|---|---|---|
| 400, 413, 415 | \`rest_…\` | the request is malformed: correct the program |
| 401 | \`authentication_error\` | the API key is missing, wrong or expired: the vendor’s fault, not the customer’s |
| 403 | \`permission_denied\` | the API key or the license does not allow it |
| 404 | \`data_error\` | no such license, activation or other record, or the activation was deactivated |
| 404 | \`license_activation_limit_reached\` | all seats are taken: offer to deactivate another device |
| 405 | \`license_expired\`, \`license_disabled\` | the license cannot be activated |
| 409, 422 | \`data_error\` | the record exists already; values are missing or invalid |
| 429 | \`rest_too_many_requests\` | wait, then retry |
| 500, 503 | \`server_error\` | retry later; trust the last good answer until then |

Each operation lists its errors, with what to do. Quote the \`X-Request-Id\` of an answer when you report a problem: the
server’s log has it.

## Paging

Lists have \`per_page\` records a page: 30 by default, 1000 at most. \`X-WP-Total\` and \`X-WP-TotalPages\` count all of them.
To read a whole list, follow the \`rel="next"\` link of the \`Link\` header until there is none. The link has no
credentials: send them again.

## Retries and limits

Retry after 429 and 503 when the seconds of \`Retry-After\` have passed; after 500, a timeout or a broken connection, retry
with increasing delays. Do not retry after other errors: the answer stays the same.

A request without an answer may have been carried out. Reads, updates, deletes and deactivations can be repeated: a repeated
delete answers 404, a repeated deactivation that it was done. A repeated create of a license with the same key answers 409. A
repeated generate makes other keys: before it, list the licenses of the order (\`order_id\`). Without a fingerprint, a repeated
activation takes another seat, so store the token before anything else, and retry an activation only when the user asks for
it.

Wrong credentials, unknown license keys and unknown tokens count as failures. If an address fails too often (300 times in a
minute, unless the operator has set another limit), its further failures are answered 429 for the rest of the minute; other
requests pass. After ten times as many unknown license keys sent with an API key, it may name no license key with an API
key, except to look it up with one that may list licenses.

## Events

An event endpoint gets the events of every change from its creation on: as webhooks, or kept for a program to read. Either way
each event has a \`seq\` at its endpoint: 1, 2, 3 … without a gap. \`GET /events?endpoint=1&after=42&wait=30\` returns the
events after number 42, and waits up to 30 seconds if there is none yet. So a program that polls asks again and again with the
\`seq\` of the last event that it has dealt with, and a receiver of webhooks that misses a number reads it in the same way.
Events are kept for 30 days, unless the operator has set another time. [All types](#event-types) are below.
`;

/** The parts of the API document other than the operations. */
export const V1_DOCUMENT = { tags: TAGS, responses: OUTSIDE_ROUTES, webhooks: WEBHOOKS, guide };
