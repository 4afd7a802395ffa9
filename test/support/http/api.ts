import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import type { Credentials } from '../../../src/app/api-keys/credentials.ts';
import { ENGINE } from '../engine.ts';
import { searchErrors } from '../leaks.ts';
import { send } from './send.ts';

/** A record in an answer, with its wire names. */
// biome-ignore lint/suspicious/noExplicitAny: answers are checked by the tests, not by the compiler
export type Record_ = any;

export interface Answer {
  status: number;
  headers: Headers;
  /** Parsed JSON, or the text if it is not JSON. */
  body: Record_;
}
export interface CallOptions {
  query?: Record<string, unknown>;
  json?: unknown;
  form?: Record<string, string>;
  multipart?: Record<string, string | File>;
  /** A raw body, with its content type or none. */
  raw?: { body: string | Buffer; type?: string };
  headers?: Record<string, string>;
  /** null for none; by default the service's own. */
  credentials?: Credentials | null;
}

/** A client of one running service. */
export interface Api {
  root: string;
  call(method: string, path: string, options?: CallOptions): Promise<Answer>;
  /** Makes a call that must succeed, and returns its data. */
  ok(method: string, path: string, options?: CallOptions): Promise<Record_>;
  /** Makes a call that must fail with this status and code, and returns its body. */
  fails(status: number, code: string, method: string, path: string, options?: CallOptions): Promise<Record_>;
  /** Creates a license with a random key. */
  license(values?: Record<string, unknown>): Promise<Record_>;
  /** Activates a license. */
  activation(licenseKey: string, query?: Record<string, unknown>): Promise<Record_>;
  generator(values?: Record<string, unknown>): Promise<Record_>;
  software(values?: Record<string, unknown>): Promise<Record_>;
  /** Creates a release, by default version 1.0.0, published, with a file. */
  release(softwareId: number, values?: Record<string, string | File>): Promise<Record_>;
}

const random = (): string => randomBytes(6).toString('hex').toUpperCase();
/** The terms of a license or generator that was created without any. */
export const DEFAULT_TERMS = {
  seat_ttl: 0,
  reclaim_after_days: 0,
  match: 'fingerprint',
  borrow_max_hours: 0,
  takeovers_per_month: 0,
  entitlements: [],
  lease_refresh_hours: 24,
  lease_days: 14,
  lease_grace_days: 7,
  offline_lease_days: 90,
};

/** Returns a new license key. No key of this form may be found in plaintext after a test run (`leaks.ts`). */
export const newKey = (): string => `TEST-${random()}`;
/** Returns a name for something that is not a secret. */
export const newName = (): string => `NAME-${random()}`;
export const basicHeader = ({ consumerKey, consumerSecret }: Credentials): string =>
  `Basic ${Buffer.from(`${consumerKey}:${consumerSecret}`).toString('base64')}`;

export function createApi(root: string, own: Credentials): Api {
  async function call(method: string, path: string, options: CallOptions = {}): Promise<Answer> {
    const { query = {}, json, form, multipart, raw, credentials = own } = options;
    const url = new URL(root + path);
    for (const [name, value] of Object.entries(query)) url.searchParams.append(name, String(value));
    const headers: Record<string, string> = { ...options.headers };
    if (credentials) headers.authorization = basicHeader(credentials);
    let body: string | Uint8Array | null = null;
    if (json !== undefined) {
      body = JSON.stringify(json);
      headers['content-type'] = 'application/json';
    }
    if (form) {
      body = new URLSearchParams(form).toString();
      headers['content-type'] ??= 'application/x-www-form-urlencoded;charset=UTF-8';
    }
    if (multipart) {
      const data = new FormData();
      for (const [name, value] of Object.entries(multipart)) data.append(name, value);
      const encoded = new Response(data);
      body = await encoded.bytes();
      headers['content-type'] ??= encoded.headers.get('content-type') ?? '';
    }
    if (raw) {
      body = Buffer.from(raw.body);
      if (raw.type) headers['content-type'] = raw.type;
    }
    const { status, headers: received, text } = await send(url, { method, headers, body });
    if (status >= 400) searchErrors(text);
    return { status, headers: received, body: parsed(text) };
  }

  async function ok(method: string, path: string, options?: CallOptions): Promise<Record_> {
    const { status, body, headers } = await call(method, path, options);
    assert.equal(status, 200, JSON.stringify(body));
    assert.equal(body.success, true);
    assert.equal(headers.get('content-type'), 'application/json; charset=utf-8');
    return body.data;
  }

  async function fails(status: number, code: string, method: string, path: string, options?: CallOptions) {
    const { status: actual, body } = await call(method, path, options);
    assert.equal(actual, status, JSON.stringify(body));
    assert.equal(body.code, code, JSON.stringify(body));
    assert.equal(body.data.status, status);
    assert.ok(typeof body.message === 'string' && body.message !== '');
    assert.ok(!('success' in body));
    return body;
  }

  return {
    root,
    call,
    ok,
    fails,
    license: (values = {}) =>
      ok('POST', '/licenses', {
        json: { license_key: newKey(), valid_for: 0, status: 3, activations_limit: 2, ...values },
      }),
    activation: (licenseKey, query = {}) =>
      ok('GET', `/licenses/activate/${encodeURIComponent(licenseKey)}`, { query }),
    software: (values = {}) =>
      ok('POST', '/software', { json: { name: 'Test', slug: newName().toLowerCase(), ...values } }),
    release: (softwareId, values = {}) =>
      ok('POST', `/software/${softwareId}/releases`, {
        multipart: { version: '1.0.0', file: new File(['bytes'], 'test.zip'), ...values },
      }),
    generator: (values = {}) =>
      ok('POST', '/generators', {
        json: {
          name: 'Test',
          charset: 'ABCDEF0123456789',
          chunks: 4,
          chunk_length: 5,
          separator: '-',
          ...values,
        },
      }),
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/**
 * Waits until a server knows a change to an API key that another process has committed. On SQLite the server notices at
 * once; PostgreSQL notifies it a moment later.
 * @param check fails until then
 */
export async function heard(check: () => Promise<unknown>): Promise<void> {
  const end = ENGINE === 'sqlite' ? 0 : Date.now() + 20_000;
  for (;;) {
    try {
      await check();
      return;
    } catch (error) {
      if (Date.now() >= end) throw error;
      await setTimeout(20);
    }
  }
}
