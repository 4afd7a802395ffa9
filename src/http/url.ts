/** Replaces a malformed path below the REST prefix. No route has this path. */
const NOWHERE = '/-';

export interface Addresses {
  /** The path of the base URL, without a trailing slash; "" without a base URL. */
  basePath: string;
  /** Path of the REST prefix: `/wp-json`. */
  restPath: string;
  /** Path of the client API. */
  clientRoot: string;
}

/**
 * Returns a function that converts every form of an address to the one that the router knows: with or without the base path,
 * `/?rest_route=…` and `/index.php?rest_route=…`, `/index.php/wp-json/…`, doubled slashes, a trailing slash, and absolute
 * URLs. `//host/path` is a path, as in every request line. A malformed percent sequence leads to no route below the REST
 * prefix. Elsewhere its "%" is an ordinary character, so that the API at that path answers in its own form. A sequence that
 * is not UTF-8 becomes NUL, which no record has in its name.
 */
export function createRewrite({ basePath, restPath, clientRoot }: Addresses): (url: string) => string {
  const base = single(basePath);
  const trimmed = (path: string): string =>
    path.endsWith('/') && (path.startsWith(`${restPath}/`) || path.startsWith(`${clientRoot}/`))
      ? path.slice(0, -1)
      : path;
  return (url) => {
    const [sent, query] = split(url);
    const full = single(sent);
    const below =
      base !== '' && (full === base || full.startsWith(`${base}/`)) ? full.slice(base.length) : full;
    const path = below.startsWith(`/index.php${restPath}/`) ? below.slice('/index.php'.length) : below;
    if (query.includes('rest_route') && /^\/?(?:index\.php\/?)?$/.test(path)) {
      const { route, rest } = takeRestRoute(query);
      if (route !== null) return join(readable(trimmed(restPath + route), restPath), rest);
    }
    const known = readable(trimmed(path === '' ? '/' : path), restPath);
    // Usually nothing changes: do not keep a long address in memory twice.
    return sent === known && url.startsWith(known) ? url : join(known, query);
  };
}

/** Returns the path and query of a request line, which may be an absolute URL. */
export const relativeOf = (url: string): string =>
  url.startsWith('/') ? url : url.replace(/^[a-z]+:\/\/[^/?]*/i, '');

function split(url: string): [path: string, query: string] {
  const relative = relativeOf(url);
  const at = relative.indexOf('?');
  return at < 0 ? [relative, ''] : [relative.slice(0, at), relative.slice(at + 1)];
}

/** Merges repeated slashes. Encoded slashes stay, because they belong to a license key. */
const single = (path: string): string => path.replace(/\/{2,}/g, '/');

const join = (path: string, query: string): string => (query === '' ? path : `${path}?${query}`);

function readable(path: string, restPath: string): string {
  if (!path.includes('%')) return path;
  const whole = path.replace(/%(?![0-9a-f]{2})/gi, '%25');
  if (whole !== path && path.startsWith(`${restPath}/`)) return NOWHERE;
  return whole.replace(/(?:%[0-9a-f]{2})+/gi, (sequence) => (isUtf8(sequence) ? sequence : '%00'));
}

function isUtf8(percentSequence: string): boolean {
  try {
    decodeURIComponent(percentSequence);
    return true;
  } catch {
    return false;
  }
}

/** Returns the path in the last `rest_route`, and the query without `rest_route`. */
function takeRestRoute(query: string): { route: string | null; rest: string } {
  const rest: string[] = [];
  let route: string | null = null;
  for (const part of query.split('&')) {
    const [name = '', value = ''] = part.split(/=(.*)/s);
    if (name === 'rest_route') route = pathOf(value);
    else rest.push(part);
  }
  return { route, rest: rest.join('&') };
}

function pathOf(value: string): string {
  let decoded: string;
  try {
    decoded = decodeURIComponent(single(value).replaceAll('+', ' '));
  } catch {
    return NOWHERE;
  }
  const encoded = decoded.replace(/[^\w\-.~!$&'()*+,;=:@%/]+/gu, encodeURIComponent);
  return encoded.replace(/^\/*/, '/');
}
