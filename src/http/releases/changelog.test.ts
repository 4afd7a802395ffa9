import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { changelogHtml } from './changelog.ts';

const of = (text: string, version = '1.10.0', publishedAt: string | null = '2030-06-01 12:00:00') =>
  changelogHtml([{ version, publishedAt, text }]);
/** The HTML below the heading. */
const body = (text: string) => of(text).replace(/^<h4>1\.10\.0 – 2030-06-01<\/h4>\n/, '');

test('each changelog has a heading with version and date, in the order given', () => {
  const html = changelogHtml([
    { version: '2.0', publishedAt: '2030-06-02 12:00:00', text: '- Two' },
    { version: '1.0', publishedAt: null, text: 'One' },
  ]);
  assert.equal(html, '<h4>2.0 – 2030-06-02</h4>\n<ul>\n<li>Two</li>\n</ul>\n<h4>1.0</h4>\n<p>One</p>');
});

test('Markdown becomes HTML', () => {
  for (const [text, html] of [
    ['**New:** `x` & <y>', '<p><strong>New:</strong> <code>x</code> &amp; </p>'],
    ['one\ntwo', '<p>one<br />\ntwo</p>'],
    ['### Fixed\n1. a\n2. b', '<h3>Fixed</h3>\n<ol>\n<li>a</li>\n<li>b</li>\n</ol>'],
    ['= Fixed =\n* a', '<h4>Fixed</h4>\n<ul>\n<li>a</li>\n</ul>'],
    ['Fixed\n=====', '<h1>Fixed</h1>'],
    [
      '[a](https://example.com/?x=1&y "t")',
      '<p><a href="https://example.com/?x=1&amp;y" title="t" rel="noopener noreferrer">a</a></p>',
    ],
    ['![a](https://example.com/a.png)', '<p><img src="https://example.com/a.png" alt="a" /></p>'],
    ['```\n<b>\n```', '<pre><code>&lt;b&gt;\n</code></pre>'],
    [' \n ', ''],
  ] as const)
    assert.equal(body(text), html);
});

test('a heading that repeats the version goes', () => {
  for (const title of [
    ...['= 1.10.0 =', '## [1.10.0] - 2030-06-01', '# Version 1.10.0', '## v1.10.0+7', '\n \n## 1.10.0'],
    '## [1.10.0](https://example.com/v1.10.0)',
  ])
    assert.equal(body(`${title}\n- a`), '<ul>\n<li>a</li>\n</ul>', title);
  assert.equal(body('<h4 id="new">1.10.0</h4>\n<ul><li>a</li></ul>'), '<ul><li>a</li></ul>');
  assert.equal(of('## 1.5\na', 'v1.5', null), '<h4>v1.5</h4>\n<p>a</p>');
});

test('a first line that is no heading, or has another version, stays', () => {
  for (const line of ['#88 1.10.0 lost files', '= 1.10.0 is safe'])
    assert.equal(body(`${line}\n\na`), `<p>${line}</p>\n<p>a</p>`);
  assert.equal(body('<h4>1.10.0</h4>\na *b*'), '<h4>1.10.0</h4>\na *b*');
  assert.equal(body('<h4>1.10.0</h4>\n<b>a</b> *b*'), '<h4>1.10.0</h4>\n<b>a</b> *b*');
  assert.equal(body('# 1.10\n1.10.0'), '<h1>1.10</h1>\n<p>1.10.0</p>');
  for (const title of [
    ...['Upgrade from 11.10.0', '2.1.10.0', '1.10.0.1', '1.10.01', '1x10.0'],
    ...['New since 1.10.0-rc.2', '1.10.0rc2', '1.10.0.dev3'],
  ])
    assert.equal(body(`# ${title}\n- a`), `<h1>${title}</h1>\n<ul>\n<li>a</li>\n</ul>`);
});

test('HTML stays, and its text is not read as Markdown', () => {
  const html = '<h4>New</h4>\n\n    <ul>\n      <li>a <em>*b*</em> &amp; c</li>\n    </ul>';
  assert.equal(body(html), html);
  assert.equal(body('<em>New</em>: **a**'), '<p><em>New</em>: <strong>a</strong></p>');
});

test('a tag that the text only mentions does not swallow what follows', () => {
  for (const name of ['title', 'script', 'style', 'textarea', 'option', 'xmp', 'Title'])
    assert.equal(
      body(`- Fixed <${name}> of pages\n- **Faster**`),
      `<ul>\n<li>Fixed &lt;${name}&gt; of pages</li>\n<li><strong>Faster</strong></li>\n</ul>`,
    );
  assert.equal(
    body('<ul><li>No <script async> twice</li><li>b</li></ul>'),
    '<ul><li>No &lt;script async&gt; twice</li><li>b</li></ul>',
  );
  assert.equal(body('a <SCRIPT>b</script> <script> c'), '<p>a  &lt;script&gt; c</p>');
});

test('nothing survives that runs, loads or imitates', () => {
  for (const [text, html] of [
    ['<script>alert(1)</script>a', 'a'],
    ['<p>a<script src="https://example.com/x.js"></script></p>', '<p>a</p>'],
    ['<style>p { color: red }</style>a', 'a'],
    ['<p style="position:fixed" class="notice" id="wpbody" onclick="a()">a</p>', '<p>a</p>'],
    ['a <img src="x" onerror="alert(1)">', '<p>a <img src="x" /></p>'],
    ['<p><a href="javascript:a()">a</a></p>', '<p><a rel="noopener noreferrer">a</a></p>'],
    ['[a](javascript:a())', '<p><a rel="noopener noreferrer">a</a></p>'],
    ['[a](JaVaScRiPt&colon;a())', '<p><a rel="noopener noreferrer">a</a></p>'],
    ['<p><a href="java&#10;script:a()">a</a></p>', '<p><a rel="noopener noreferrer">a</a></p>'],
    ['[a](data:text/html;base64,AA)', '<p><a rel="noopener noreferrer">a</a></p>'],
    ['a ![b](data:image/svg+xml;base64,AA)', '<p>a </p>'],
    ['[a](vbscript:b)', '<p><a rel="noopener noreferrer">a</a></p>'],
    ['<p><svg><script>a</script></svg><iframe src="https://example.com">b</iframe></p>', '<p>b</p>'],
    [
      '<p><a href="https://example.com" target="_blank" rel="opener">a</a></p>',
      '<p><a href="https://example.com" rel="noopener noreferrer">a</a></p>',
    ],
    ['<div><form action="https://example.com"><input name="a"><button>b</button></form></div>', 'b'],
  ] as const)
    assert.equal(body(text), html, text);
  assert.equal(of('', '<b>"', null), '<h4>&lt;b&gt;&quot;</h4>\n');
});

/** Matches every tag that the output may contain. */
const TAG =
  /<\/?(h[1-6]|p|br|hr|ul|ol|li|blockquote|pre|code|a|abbr|b|del|em|i|img|ins|s|strong)( (href|src)="(?!\s*(javascript|data|vbscript):)[^"<>]*"| (title|rel|alt|start)="[^"<>]*")*( \/)?>/gi;

test('whatever is in a changelog, only allowed tags and attributes come out', () => {
  const piece = fc.constantFrom(
    ...[
      '<',
      '>',
      '"',
      "'",
      '=',
      '/',
      '\n',
      '\n\n',
      '    ',
      '`',
      '```\n',
      '[',
      '](',
      ')',
      '![',
      '*',
      '# ',
      '- ',
      '&',
      ';',
    ],
    ...[
      '<script',
      '</script>',
      '<style>',
      '<!--',
      '-->',
      '<![CDATA[',
      '<svg',
      '<math>',
      '<textarea>',
      '<p ',
      '<a ',
      '<img ',
    ],
    ...[
      'onerror=',
      'style=',
      'href=',
      'src=',
      'javascript:',
      'data:',
      'alert(1)',
      '&#106;',
      '&colon;',
      'x',
      '\0',
      '\\',
    ],
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
      const rest = of(pieces.join('')).replace(TAG, '');
      assert.doesNotMatch(rest, /</);
    }),
    { numRuns: 500 },
  );
});

test('a changelog makes no much longer answer', () => {
  const length = 3_000;
  for (const piece of ['*\n-\n', '-\n', '"', '<p>', 'a\n', `${'> '.repeat(90)}a\n`, '- 1. '])
    assert.ok(of(piece.repeat(length / piece.length)).length < 12 * length, piece);
  assert.ok(of(`[a]: ${'u'.repeat(2_000)}\n\n${'[a]'.repeat(500)}`).length < 2 * length);
  assert.ok(of(`${'|a'.repeat(999)}|\n${'|-'.repeat(999)}|\n${'x\n'.repeat(999)}`).length < 8 * length);
  assert.ok((of('<blockquote>'.repeat(500)).match(/<blockquote>/g) ?? []).length <= 50);
});
