import { LRUCache } from 'lru-cache';
import MarkdownIt from 'markdown-it';
import sanitize from 'sanitize-html';
import type { Changelog } from '../../app/releases/updates.ts';

// Imported on first use: the packages take a tenth of a second to load.

/**
 * Raw HTML and any address pass, because the output is sanitized. Link references are off: 64 KiB of them can become 150 MB.
 * Tables are off: WordPress does not show them.
 */
const markdown = new MarkdownIt({ html: true, breaks: true }).disable(['reference', 'table']);
markdown.validateLink = () => true;

/** The HTML that WordPress shows in a changelog, without the attributes that could imitate its pages (class, id, style). */
const ALLOWED: sanitize.IOptions = {
  allowedTags: [
    ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'p', 'br', 'hr', 'ul', 'ol', 'li', 'blockquote', 'pre', 'code'],
    ...['a', 'abbr', 'b', 'del', 'em', 'i', 'img', 'ins', 's', 'strong'],
  ],
  allowedAttributes: {
    a: ['href', 'title', 'rel'],
    abbr: ['title'],
    img: ['src', 'alt', 'title'],
    ol: ['start'],
  },
  allowedSchemes: ['https', 'http', 'mailto'],
  transformTags: { a: sanitize.simpleTransform('a', { rel: 'noopener noreferrer' }) },
  exclusiveFilter: ({ tag, attribs }) => tag === 'img' && !attribs.src,
  nestingLimit: 50,
};

/** Maximum characters of cached changelogs and their HTML, for all releases together. */
const RENDERED_MAX = 8 * 1024 ** 2;
const rendered = new LRUCache<string, string>({
  maxSize: RENDERED_MAX,
  sizeCalculation: (html, text) => html.length + text.length + 1,
});

/** Returns changelogs as HTML that is safe in any page, each below a heading with its version and date. */
export const changelogHtml = (changelogs: readonly Changelog[]): string =>
  changelogs
    .map(({ version, publishedAt, text }) => {
      const title = [version, ...(publishedAt === null ? [] : [publishedAt.slice(0, 10)])].join(' – ');
      return `<h4>${markdown.utils.escapeHtml(title)}</h4>\n${toHtml(withoutTitle(text, version))}`;
    })
    .join('\n');

const BLOCK = '\\s*<(?:article|blockquote|div|dl|h[1-6]|ol|p|pre|section|table|ul)[\\s>]';
/** Matches a changelog that begins with a block of HTML. A link like <https://example.com> or emphasis proves nothing. */
const HTML_BLOCK = new RegExp(`^${BLOCK}`, 'i');
/** Matches a heading at the beginning: in Markdown, as in a readme.txt of WordPress, or in HTML before another block. */
const TITLE = new RegExp(
  `^\\s*(?:#{1,6}[ \\t].*|=+[^=\\n]+=+[ \\t]*(?=\\n|$)|<(h[1-6])\\b[^<>]*>[^<]*</\\1>(?=${BLOCK}))`,
  'i',
);

/** Returns the changelog without its own heading, if that repeats the version. */
function withoutTitle(text: string, version: string): string {
  const [title = ''] = TITLE.exec(text) ?? [];
  const number = markdown.utils.escapeRE(version.replace(/^v/i, ''));
  // 2.0 is not part of 12.0, 1.2.0, 2.0.1 or 2.0-rc.1.
  const repeated = new RegExp(`(?<!\\d|\\d\\.)${number}(?![.-]?[A-Za-z\\d])`);
  return repeated.test(title) ? text.slice(title.length) : text;
}

/** Matches a heading in a readme.txt of WordPress. */
const README_HEADING = /^=+([^=\n]+)=+[ \t]*$/gm;

function toHtml(text: string): string {
  const known = rendered.get(text);
  if (known !== undefined) return known;
  const html = HTML_BLOCK.test(text)
    ? text
    : markdown.render(text.replace(README_HEADING, (_, title: string) => `#### ${title.trim()}`));
  const safe = sanitize(withMentions(html), ALLOWED).trim();
  rendered.set(text, safe);
  return safe;
}

/** The tags whose content is not read as HTML. */
const RAW = '(script|style|textarea|title|xmp|option)\\b';
const RAW_START = new RegExp(`<${RAW}`, 'gi');
const RAW_END = new RegExp(`</${RAW}`, 'gi');

/** Turns such a tag into text if it has no end tag: the changelog mentions it, and it would swallow all that follows. */
function withMentions(html: string): string {
  const ends = new Map(
    Array.from(html.matchAll(RAW_END), ({ 1: name, index }) => [name?.toLowerCase(), index]),
  );
  return html.replace(RAW_START, (tag, name: string, at: number) =>
    at < (ends.get(name.toLowerCase()) ?? 0) ? tag : `&lt;${name}`,
  );
}
