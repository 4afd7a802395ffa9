import { ERROR_EXAMPLES, OUTSIDE_EXAMPLES } from '../../src/http/dlm-v1/error-examples.ts';
import { ERROR_MEANINGS } from '../../src/http/dlm-v1/error-meanings.ts';
import { escaped, GENERATED } from './markdown.ts';

const INTRODUCTION = `# Errors of the v1 API

The body of an error is \`{"code", "message", "data"}\`, and \`data.status\` is the HTTP status. Decide by the code. Several
errors have the code \`data_error\`: the operation and the status tell most of them apart, the message all of them, and
messages do not change. \`data.params\` names each invalid parameter. The page \`/docs\` of the server says which errors each
operation has. Those of the client API are there, too, and in [what its answers
mean](../integrate/README.md#what-the-answers-mean).

[What the answers mean](../integrate/v1.md#what-the-answers-mean) says which of them a program on a customer's device
needs to tell apart.`;

/** Groups of errors in the order of the page. */
const SUBJECTS: Readonly<Record<string, RegExp>> = {
  'Licenses and activations': /^(license_|activation_|software_not_covered)/,
  'The API key':
    /^(credentials_missing|key_invalid|secret_invalid|no_permission|\w+_not_allowed|software_of_)/,
  Events: /event_endpoint/,
  'Limits and faults': /^(too_many_requests|server_error|unavailable)$/,
  'Updates and downloads': /^(download_|precondition_|range_|release_|software_|file_)/,
  'Values and requests': /./,
};

const ERRORS = { ...ERROR_EXAMPLES, ...OUTSIDE_EXAMPLES };
type Name = keyof typeof ERRORS;

/** Returns the text of docs/reference/errors.md. */
export function errorsPage(): string {
  const names = new Set(Object.keys(ERRORS) as Name[]);
  const sections = Object.entries(SUBJECTS).map(([subject, pattern]) => {
    const own = [...names].filter((name) => pattern.test(name));
    for (const name of own) names.delete(name);
    const rows = own.toSorted((a, b) => statusOf(a) - statusOf(b)).map(rowOf);
    return `## ${subject}\n\n| status, code | message | meaning | what to do |\n|---|---|---|---|\n${rows.join('\n')}`;
  });
  return `${[GENERATED, INTRODUCTION, ...sections].join('\n\n')}\n`;
}

const statusOf = (name: Name): number => ERRORS[name].data.status;

function rowOf(name: Name): string {
  const { code, message } = ERRORS[name];
  const { means, advice } = ERROR_MEANINGS[name];
  return `| ${statusOf(name)} \`${code}\` | ${[message, means, advice].map(escaped).join(' | ')} |`;
}
