import { CATALOG } from '../../src/domain/events/catalog.ts';
import { ALL_EVENT_TYPES, type AnyEventType } from '../../src/domain/events/event.ts';
import { Event } from '../../src/http/dlm-v1/event-schemas.ts';
import { exampleBody } from '../../src/http/dlm-v1/event-webhooks.ts';
import { anchorOf, escaped, GENERATED } from './markdown.ts';

const INTRODUCTION = `# Events

Every type of event, when it is sent, and an example of its body. An endpoint chooses types, or gets all of them, also those
of later versions: ignore types that you do not know. Endpoints are made in the console, with
[\`latchkey event-endpoint create\`](cli.md#latchkey-event-endpoint-create), or over the v1 API, which also lets a program read
the events of an endpoint (\`GET /events\`; the page \`/docs\` of the server has every field).

\`data\` is the record as the v1 API shows it, by the same names, after the change. It has no license keys, tokens or secrets,
and no email addresses of customers: find a license by its \`id\`. Long texts, such as changelogs, are cut.`;

/** Returns the text of docs/reference/events.md. */
export function eventsPage(): string {
  const nouns = Map.groupBy(ALL_EVENT_TYPES, (type) => type.split('.')[0]);
  const contents = Array.from(nouns.values(), (types) =>
    types.map((type) => `[\`${type}\`](#${anchorOf(type)})`).join(', '),
  );
  const fields = Object.entries(Event.properties).map(([name, schema]) => {
    const { description = 'What has happened' } = schema as { description?: string };
    return `| \`${name}\` | ${escaped(description)} |`;
  });
  const parts = [
    ...[GENERATED, INTRODUCTION],
    `## Fields of the body\n\n| field | meaning |\n|---|---|\n${fields.join('\n')}`,
    `## Types\n\n${contents.map((line) => `- ${line}`).join('\n')}`,
    ...ALL_EVENT_TYPES.map(sectionOf),
  ];
  return `${parts.join('\n\n')}\n`;
}

const sectionOf = (type: AnyEventType): string =>
  [
    `### ${type}`,
    `${escaped(CATALOG[type].when)}.`,
    `\`\`\`json\n${JSON.stringify(exampleBody(type), null, 2)}\n\`\`\``,
  ].join('\n\n');
