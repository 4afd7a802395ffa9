import MarkdownIt from 'markdown-it';
import type { Json } from './components.ts';
import { commonErrorsOf, type Entry, entriesOf, problemsOf, recordsOf, sentOf } from './entries.ts';
import { samplesOf } from './samples.ts';

/** Escapes text for HTML. */
const escaped = (text: unknown): string =>
  String(text).replace(/[&<>"]/g, (one) => `&#${one.charCodeAt(0)};`);

/**
 * Returns the page that shows an OpenAPI document. It works without its script, except for "Try it".
 * @param folder path of the page, with its style sheet and script, without a trailing slash
 */
export function documentPage(document: Json, folder: string): string {
  const entries = entriesOf(document);
  const ofTag = (tag: string) => entries.filter((one) => one.tag === tag);
  const guide = guideOf(document.info.description);
  const records = recordsOf(document);
  const title = escaped(`${document.info.title} API`);
  const groups = document.tags.map(
    ({ name, description }: Json) => `
<section id="tag-${name}"><h2>${name}</h2><p>${escaped(description)}</p></section>
${ofTag(name).map(operationSection).join('\n')}`,
  );
  const contents = [
    ...guide.headings.map(({ id, text }) => link(id, text)),
    ...document.tags.map(
      ({ name }: Json) =>
        link(`tag-${name}`, name, ' class="group"') +
        ofTag(name)
          .map(({ id, summary, method }) => link(id, summary, ` data-method="${method}"`))
          .join(''),
    ),
    link('event-types', 'Types of events', ' class="group"'),
    link('records', 'Records', ' class="group"'),
  ];
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${folder}/page.css">
<script src="${folder}/page.js" type="module"></script>
</head>
<body data-root="${escaped(document.servers[0].url)}">
<a class="skip" href="#main">Skip the contents</a>
<header><strong>${title}</strong> <small>${escaped(document.info.version)}</small>
<a href="${folder}/json">OpenAPI document</a>
<button type="button" id="menu" aria-expanded="false" aria-controls="contents">Contents</button></header>
<nav id="contents" aria-label="Contents">${contents.join('')}</nav>
<main id="main">
<h1>${title}</h1>
<div class="guide">${guide.html}</div>
<section id="common-errors"><h3>Errors of many operations</h3>${errorTable(commonErrorsOf(document))}</section>
<section id="client-errors"><h3>Errors of programs without a secret</h3>${errorTable(problemsOf(document), 'client-error-')}</section>
<form id="credentials" autocomplete="off"><h3>Try it with your own API key</h3>
<p>“Try it” below sends requests to this server with this key. The page forgets it when you leave.</p>
<label>Consumer key <input name="key" spellcheck="false" placeholder="ck_…"></label>
<label>Consumer secret <input name="secret" type="password" placeholder="cs_…"></label></form>
${groups.join('\n')}
<section id="event-types"><h2>Types of events</h2><p>Each is sent to webhooks, and read by “Read the events of an endpoint”, as an <a href="#record-Event">Event</a>.</p>${eventTable(document)}</section>
<section id="records"><h2>Records</h2><p>The fields of the records in answers.</p></section>
${records.map(([name, schema]) => `<section id="record-${name}"><h3>${name}</h3>${fieldTable(schema)}</section>`).join('\n')}
</main>
</body>
</html>
`;
}

const link = (id: string, text: string, attributes = ''): string =>
  `<a href="#${id}"${attributes}>${escaped(text)}</a>`;

/** The Markdown of the document as HTML, with an id for each heading. */
function guideOf(markdown: string): { html: string; headings: { id: string; text: string }[] } {
  const headings: { id: string; text: string }[] = [];
  const html = new MarkdownIt().render(markdown).replace(/<h2>(.*?)<\/h2>/g, (_, text) => {
    const id = text.toLowerCase().replace(/\W+/g, '-');
    headings.push({ id, text });
    return `<h2 id="${id}">${text}</h2>`;
  });
  // The script of the page puts the address of the server there.
  const origin = /https:\/\/licenses\.example\.com/;
  const reachable = html.replaceAll('<pre>', '<pre tabindex="0">');
  return { html: reachable.replace(origin, '<span id="origin">$&</span>'), headings };
}

const block = (code: string): string => `<pre tabindex="0"><code>${escaped(code)}</code></pre>`;

function operationSection(entry: Entry): string {
  const { id, method, otherMethods, summary, description, parameters, bodies, request } = entry;
  const path = (entry.root ?? '') + entry.path;
  const also = otherMethods.length > 0 ? ` <small>also ${otherMethods.join(' and ')}</small>` : '';
  const samples = Object.entries(samplesOf(request)).map(
    ([language, code]) =>
      `<figure data-language="${language}"><figcaption>${language}</figcaption>${block(code)}</figure>`,
  );
  return `<section id="${id}" class="operation">
<div><h3>${escaped(summary)}</h3>
<p class="address"><b data-method="${method}">${method}</b> <code>${escaped(path).replaceAll('/', '<wbr>/')}</code>${also}</p>
${description && `<p>${escaped(description)}</p>`}
${parameters.length > 0 ? `<h4>Parameters</h4>${table(parameters.map((one) => fieldRow(one.name, one.schema, one.required && 'required', one.description)))}` : ''}
${bodies.map((schema, i) => `<h4>${i === 0 ? 'Body' : 'Or'}</h4>${bodyTable(schema)}`).join('')}
<h4>Answer</h4>${answerText(entry)}
<h4>Errors</h4>${entry.root === null ? errorsOf(entry) : problemLinks(entry)}
</div>
<div class="examples"><div class="samples">${samples.join('')}</div>
${tryIt(entry)}
${entry.answers.map(answerBlock).join('')}
</div>
</section>`;
}

const errorsOf = ({ errors, commonErrors }: Entry): string =>
  `${errors.length > 0 ? errorTable(errors) : ''}
<p>As <a href="#common-errors">many operations</a>: ${commonErrors.join(', ')}.</p>`;

const problemLinks = ({ problems }: Entry): string =>
  `<p>${problems.map((code) => `<a href="#client-error-${code}"><code>${code}</code></a>`).join(', ')}.</p>`;

/** Shows an example of an answer. The first one is open. */
const answerBlock = ([name, answer]: [string, Json], i: number): string =>
  `<details${i === 0 ? ' open' : ''}><summary>Answer: ${escaped(name)}</summary>${block(JSON.stringify(answer, null, 2))}</details>`;

function answerText({ data, headers, root, request }: Entry): string {
  const names = headers.map((name) => `<code>${name}</code>`).join(', ');
  const of = root === null ? '<code>data</code>' : 'The body';
  const what = data ? `${of} is ${typeText(data)}.` : request.download ? 'The file.' : 'No body.';
  return `<p>${what}${names && ` Headers: ${names}.`}</p>`;
}

const table = (rows: readonly string[], head: readonly string[] = ['Name', 'Value', 'Meaning']): string =>
  `<div class="table" tabindex="0"><table><thead><tr>${head.map((one) => `<th>${one}</th>`).join('')}</tr></thead><tbody>${rows.join('')}</tbody></table></div>`;

const fieldRow = (name: string, schema: Json, note: string | false, description = schema.description) =>
  `<tr><td><code>${escaped(name)}</code>${note ? ` <small>${note}</small>` : ''}</td><td>${typeText(schema)}</td><td>${escaped(description ?? '')}</td></tr>`;

const bodyTable = ({ properties, required = [] }: Json): string =>
  table(
    Object.entries(properties as Json).map(([name, one]) =>
      fieldRow(name, one, required.includes(name) && 'required'),
    ),
  );

const fieldTable = (schema: Json): string => table(fieldRows(schema, ''));

/** Returns a row for each field. The fields of a nested object follow it, with its name as a prefix. */
const fieldRows = ({ properties = {}, required = [] }: Json, within: string): string[] =>
  Object.entries(properties as Json).flatMap(([name, one]) => [
    fieldRow(within + name, one, !required.includes(name) && 'may be missing'),
    ...fieldRows(one, `${within}${name}.`),
  ]);

/** Says which values a schema allows, with links to records. */
function typeText(schema: Json): string {
  const { $ref, type = 'any', items, anyOf, minimum, maximum, minLength, maxLength, format } = schema;
  if ($ref === '#/components/schemas/Nothing') return 'an empty list';
  if ($ref === '#/components/schemas/LicenseKeys') return 'a list of strings';
  if ($ref) return `<a href="#record-${$ref.split('/').at(-1)}">${$ref.split('/').at(-1)}</a>`;
  if (schema.enum)
    return schema.enum.map((one: unknown) => `<code>${escaped(one) || '""'}</code>`).join(', ');
  if (anyOf) return anyOf.map(typeText).join(' or ');
  if (type === 'array') return items ? `a list of ${typeText(items)}` : 'an empty list';
  if (Array.isArray(type) && type.includes('array'))
    return type.map((one) => typeText({ ...schema, type: one })).join(' or ');
  // A number may also be sent as text, which the table does not mention.
  const types = [type].flat().filter((one) => minimum === undefined || one !== 'string');
  const limits = [
    minimum !== undefined && (maximum < 2 ** 31 ? `${minimum} to ${maximum}` : `from ${minimum}`),
    maxLength !== undefined && `${minLength ? `${minLength} to` : 'up to'} ${maxLength} characters`,
    format,
  ];
  return escaped([types.join(' or '), ...limits].filter(Boolean).join(', '));
}

/** Shows errors as a table. @param anchor prefix of each row's id, before the code; without it, rows have no ids */
const errorTable = (errors: Entry['errors'], anchor?: string): string =>
  table(
    errors.map(
      ({ summary, description, value }) =>
        `<tr${anchor ? ` id="${anchor}${value.code}"` : ''}><td>${value.status ?? value.data.status} <code>${escaped(value.code)}</code></td><td>${escaped(summary)} <em>${escaped(description)}</em>` +
        `<details><summary>Example</summary>${block(JSON.stringify(value, null, 2))}</details></td></tr>`,
    ),
    ['Status and code', 'Meaning, and what to do'],
  );

const eventTable = (document: Json): string =>
  table(
    sentOf(document).map(
      ({ type, when, example }) =>
        `<tr id="event-${type}"><td><code>${type}</code></td><td>${escaped(when)}.<details><summary>Example</summary>${block(JSON.stringify(example, null, 2))}</details></td></tr>`,
    ),
    ['Type', 'When it is sent'],
  );

function tryIt({ method, root, path, parameters, request }: Entry): string {
  const fields = parameters
    .filter(({ name }) => !name.endsWith('[]'))
    .map(({ name, in: place, example = '', schema }) => {
      const value = escaped(typeof example === 'object' ? JSON.stringify(example) : example);
      const kind = schema.type === 'object' ? ' data-json' : '';
      return `<label>${name} <input name="${name}" data-in="${place}"${kind} placeholder="${value}"></label>`;
    });
  if (request.proof === 'token')
    fields.unshift('<label>Activation token <input name="token" data-in="token" spellcheck="false"></label>');
  const { file, ...body } = request.body ?? {};
  if (file) fields.push('<label>file <input type="file" name="file"></label>');
  if (request.body) {
    const json = JSON.stringify(body, null, 2);
    fields.push(
      `<label>Body as JSON <textarea rows="${json.split('\n').length}" spellcheck="false">${escaped(json)}</textarea></label>`,
    );
  }
  return `<details class="try"><summary>Try it</summary><form data-method="${method}" data-path="${path}"${root === null ? '' : ` data-root="${escaped(root)}"`}>${fields.join('')}<button>Send</button><output></output></form></details>`;
}
