/** An example request, whose parameters have values. */
export interface SampleRequest {
  method: string;
  /** Path below the API's root, with the values of its parameters. */
  path: string;
  query: Record<string, unknown>;
  /** Null without a body. With a field `file`, the body is a form. */
  body: Record<string, unknown> | null;
  /** The name under which to save the answer, if it is a file. */
  download: string | null;
  /** How the request authenticates. Without an API key, it belongs to the client API, whose answers have no envelope. */
  proof: 'api key' | 'token' | 'body';
  /** Whether a success has a JSON body. */
  hasAnswer: boolean;
}

/** Returns the environment variable that holds the address of the API. */
const rootOf = ({ proof }: SampleRequest): string => (proof === 'api key' ? 'ROOT' : 'CLIENT');

type Language = 'curl' | 'JavaScript' | 'Python' | 'PHP';

/**
 * Returns programs that send a request and print the data of the answer, or the error. They read addresses, the API key and
 * the token from the environment, and need nothing besides their language.
 */
export const samplesOf = (request: SampleRequest): Record<Language, string> => ({
  curl: curl(request),
  JavaScript: javascript(request),
  Python: python(request),
  PHP: php(request),
});

/** Returns the parameters of a form: `meta[os]` for an object, `product_ids[]` for a list. */
function bracketed(values: Record<string, unknown>): [name: string, value: string][] {
  return Object.entries(values).flatMap(([name, value]): [string, string][] => {
    if (typeof value !== 'object' || value === null) return [[name, String(value)]];
    return Array.isArray(value)
      ? value.map((one) => [`${name}[]`, String(one)])
      : Object.entries(value).map(([key, one]) => [`${name}[${key}]`, String(one)]);
  });
}

const isEmpty = (values: object): boolean => Object.keys(values).length === 0;

const shellQuoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
const quoted = (text: string): string => `'${text.replace(/[\\']/g, '\\$&')}'`;

interface Notation {
  open: [list: string, object: string];
  close: [list: string, object: string];
  pair: string;
  constants: [yes: string, no: string, none: string];
}
const JAVASCRIPT: Notation = {
  open: ['[', '{'],
  close: [']', '}'],
  pair: ': ',
  constants: ['true', 'false', 'null'],
};
const PYTHON: Notation = { ...JAVASCRIPT, constants: ['True', 'False', 'None'] };
const PHP: Notation = { ...JAVASCRIPT, open: ['[', '['], close: [']', ']'], pair: ' => ' };

/** Writes a JSON value as a literal of a language. */
function literal(value: unknown, notation: Notation, indent = ''): string {
  const { open, close, pair, constants } = notation;
  if (typeof value === 'string') return quoted(value);
  if (value === null) return constants[2];
  if (typeof value === 'boolean') return constants[value ? 0 : 1];
  if (typeof value !== 'object') return String(value);
  if (Array.isArray(value))
    return `${open[0]}${value.map((one) => literal(one, notation)).join(', ')}${close[0]}`;
  const inner = `${indent}  `;
  const entries = Object.entries(value).map(
    ([name, one]) => `${inner}${nameOf(name, notation)}${pair}${literal(one, notation, inner)},\n`,
  );
  return `${open[1]}\n${entries.join('')}${indent}${close[1]}`;
}

const nameOf = (name: string, notation: Notation): string =>
  notation === JAVASCRIPT && /^[a-z_]+$/.test(name) ? name : quoted(name);

function curl(request: SampleRequest): string {
  const { method, path, query, body, download, proof } = request;
  const proves = { 'api key': ' -u "$KEY:$SECRET"', token: ' -H "Authorization: Bearer $TOKEN"', body: '' };
  const options = [
    `curl ${download ? '--fail --location' : '--fail-with-body'}${proves[proof]}`,
    ...(download ? [`-o ${download}`] : []),
    ...(method === 'GET' || (method === 'POST' && body) ? [] : [`-X ${method}`]),
    ...(isEmpty(query) ? [] : ['-G']),
  ];
  const lines = [`"$${rootOf(request)}${path}"`];
  for (const [name, value] of bracketed(query))
    lines.push(`--data-urlencode ${shellQuoted(`${name}=${value}`)}`);
  if (body?.file) {
    for (const [name, value] of bracketed(body))
      lines.push(
        `${name === 'file' ? '-F' : '--form-string'} ${shellQuoted(`${name}=${name === 'file' ? '@' : ''}${value}`)}`,
      );
  } else if (body)
    // Not --json, which Ubuntu 22.04 lacks.
    lines.push(`-H 'Content-Type: application/json' --data ${shellQuoted(JSON.stringify(body, null, 2))}`);
  return [options.join(' '), ...lines].join(' \\\n  ');
}

function javascript(request: SampleRequest): string {
  const { method, path, query, body, download, proof, hasAnswer } = request;
  const [root, hasEnvelope] = [rootOf(request), proof === 'api key'];
  const used = { 'api key': ', KEY, SECRET', token: ', TOKEN', body: '' };
  const head: string[] = [`const { ${root}${used[proof]} } = process.env;`];
  const fields: string[] = [];
  if (download || body?.file)
    head.unshift(`import { ${download ? 'writeFile' : 'readFile'} } from 'node:fs/promises';`, '');
  if (!isEmpty(query))
    head.push(
      `const query = new URLSearchParams(${literal(Object.fromEntries(bracketed(query)), JAVASCRIPT)});`,
    );
  if (method !== 'GET') fields.push(`  method: '${method}',`);
  const proves = {
    'api key': ["Authorization: 'Basic ' + btoa(KEY + ':' + SECRET)"],
    token: ["Authorization: 'Bearer ' + TOKEN"],
    body: [],
  };
  const headers: string[] = [...proves[proof]];
  if (body?.file) {
    head.push('const form = new FormData();');
    for (const [name, value] of bracketed(body))
      head.push(
        name === 'file'
          ? `form.append('${name}', new Blob([await readFile(${quoted(value)})]), ${quoted(value)});`
          : `form.append('${name}', ${quoted(value)});`,
      );
    fields.push('  body: form,');
  } else if (body) {
    headers.push("'Content-Type': 'application/json'");
    fields.push(`  body: JSON.stringify(${literal(body, JAVASCRIPT, '  ')}),`);
  }
  const target = `${root} + ${quoted(path + (isEmpty(query) ? '' : '?'))}${isEmpty(query) ? '' : ' + query'}`;
  const failed = `if (!response.ok) {
  const { code, ${hasEnvelope ? 'message' : 'detail: message'} } = await response.json();
  throw new Error(\`\${response.status} \${code}: \${message}\`);
}`;
  return [
    ...head,
    `const response = await fetch(${target}, {`,
    `  headers: { ${headers.join(', ')} },`,
    ...fields,
    '});',
    failed,
    download
      ? `await writeFile(${quoted(download)}, new Uint8Array(await response.arrayBuffer()));`
      : hasAnswer &&
        `console.log(${hasEnvelope ? '(await response.json()).data' : 'await response.json()'});`,
  ]
    .filter((line) => line !== false)
    .join('\n');
}

function python(request: SampleRequest): string {
  const { method, path, query, body, download, proof, hasAnswer } = request;
  const hasEnvelope = proof === 'api key';
  const lines = ['import base64, json, os, urllib.error, urllib.parse, urllib.request', ''];
  lines.push(`url = os.environ['${rootOf(request)}'] + ${quoted(path)}`);
  if (!isEmpty(query))
    lines.push(
      `url += '?' + urllib.parse.urlencode(${literal(Object.fromEntries(bracketed(query)), PYTHON)})`,
    );
  const headers: string[] = [];
  if (body?.file) {
    lines.push('boundary = os.urandom(16).hex()', "data = b''");
    headers.push("'Content-Type', 'multipart/form-data; boundary=' + boundary");
    for (const [name, value] of bracketed(body)) {
      const isFile = name === 'file';
      lines.push(
        `data += f'--{boundary}\\r\\nContent-Disposition: form-data; name="${name}"${isFile ? `; filename="${value}"` : ''}\\r\\n\\r\\n'.encode()`,
        `data += ${isFile ? `open(${quoted(value)}, 'rb').read()` : `${quoted(value)}.encode()`} + b'\\r\\n'`,
      );
    }
    lines.push("data += f'--{boundary}--\\r\\n'.encode()");
  } else if (body) {
    headers.push("'Content-Type', 'application/json'");
    lines.push(`data = json.dumps(${literal(body, PYTHON)}).encode()`);
  }
  const proves = {
    'api key': [
      "credentials = base64.b64encode(f\"{os.environ['KEY']}:{os.environ['SECRET']}\".encode()).decode()",
      // The storage that a download may be redirected to must not get the credentials.
      `request.${download ? 'add_unredirected_header' : 'add_header'}('Authorization', 'Basic ' + credentials)`,
    ],
    token: ["request.add_header('Authorization', 'Bearer ' + os.environ['TOKEN'])"],
    body: [],
  };
  lines.push(
    `request = urllib.request.Request(url, method='${method}'${body ? ', data=data' : ''})`,
    ...proves[proof],
    ...headers.map((header) => `request.add_header(${header})`),
    'try:',
    '    with urllib.request.urlopen(request) as response:',
    download
      ? `        open(${quoted(download)}, 'wb').write(response.read())`
      : `        ${hasAnswer ? `print(json.load(response)${hasEnvelope ? "['data']" : ''})` : 'pass'}`,
    'except urllib.error.HTTPError as error:',
    '    problem = json.load(error)',
    `    raise SystemExit(f"{error.code} {problem['code']}: {problem['${hasEnvelope ? 'message' : 'detail'}']}")`,
  );
  return lines.join('\n');
}

function php(request: SampleRequest): string {
  const { method, path, query, body, download, proof, hasAnswer } = request;
  const hasEnvelope = proof === 'api key';
  const proves = {
    'api key': "'Authorization: Basic ' . base64_encode(getenv('KEY') . ':' . getenv('SECRET'))",
    token: "'Authorization: Bearer ' . getenv('TOKEN')",
    body: '',
  };
  const lines = ['<?php', `$url = getenv('${rootOf(request)}') . ${quoted(path)};`];
  if (!isEmpty(query)) lines.push(`$url .= '?' . http_build_query(${literal(query, PHP)});`);
  // A download may be redirected to a storage that must not get the credentials. They go into the query, because PHP would
  // repeat the header.
  if (download)
    lines.push(
      "$url .= '?' . http_build_query(['consumer_key' => getenv('KEY'), 'consumer_secret' => getenv('SECRET')]);",
      '$headers = [];',
    );
  else lines.push(`$headers = [${proves[proof]}];`);
  if (body?.file) {
    lines.push(
      '$boundary = bin2hex(random_bytes(16));',
      '$headers[] = "Content-Type: multipart/form-data; boundary=$boundary";',
      "$body = '';",
    );
    for (const [name, value] of bracketed(body)) {
      const isFile = name === 'file';
      lines.push(
        `$body .= "--$boundary\\r\\nContent-Disposition: form-data; name=\\"${name}\\"${isFile ? `; filename=\\"${value}\\"` : ''}\\r\\n\\r\\n";`,
        `$body .= ${isFile ? `file_get_contents(${quoted(value)})` : quoted(value)} . "\\r\\n";`,
      );
    }
    lines.push('$body .= "--$boundary--\\r\\n";');
  } else if (body) {
    lines.push(
      "$headers[] = 'Content-Type: application/json';",
      `$body = json_encode(${literal(body, PHP)});`,
    );
  }
  lines.push(
    "$answer = file_get_contents($url, false, stream_context_create(['http' => [",
    `  'method' => '${method}',`,
    "  'header' => $headers,",
    ...(body ? ["  'content' => $body,"] : []),
    "  'ignore_errors' => true,",
    ']]));',
    '$decoded = json_decode($answer, true);',
    "if (isset($decoded['code'])) {",
    hasEnvelope
      ? "  fwrite(STDERR, \"{$decoded['data']['status']} {$decoded['code']}: {$decoded['message']}\\n\");"
      : "  fwrite(STDERR, \"{$decoded['status']} {$decoded['code']}: {$decoded['detail']}\\n\");",
    '  exit(1);',
    '}',
    ...(download ? [`file_put_contents(${quoted(download)}, $answer);`] : []),
    ...(hasAnswer ? [`print_r($decoded${hasEnvelope ? "['data']" : ''});`] : []),
  );
  return lines.join('\n');
}
