import assert from 'node:assert/strict';
import { test } from 'node:test';
import Type, { type Static, type TSchema } from 'typebox';
import { nullable } from './admin/route.ts';
import { type Presentable, presenter } from './presenter.ts';

const Device = Type.Object({ device_name: Type.String(), last_seen: nullable(Type.String()) });
const DEVICE = { deviceName: 'Laptop', lastSeen: null };
const SECRET = { tokenHash: 'secret' };

/** Presents a record, as routes do, that may have more or fewer fields than its type. */
const presented = <Schema extends TSchema>(schema: Schema, record: unknown) =>
  presenter(schema)(record as Presentable<Static<Schema>>);

test('an answer has the fields of its schema, in lists, records and choices alike, and no others', () => {
  const schema = Type.Object({
    items: Type.Array(Device),
    first_item: nullable(Device),
    owner: Type.Union([Type.Object({ user_id: Type.Integer() }), Type.Object({ key_id: Type.Integer() })]),
  });
  const record = {
    items: [{ ...DEVICE, ...SECRET }],
    firstItem: { ...DEVICE, ...SECRET },
    owner: { keyId: 3, ...SECRET },
    ...SECRET,
  };
  const device = { device_name: 'Laptop', last_seen: null };
  assert.deepEqual(presented(schema, record), { items: [device], first_item: device, owner: { key_id: 3 } });
});

test('a record that lacks a field of its schema shows no field of its own instead', () => {
  assert.deepEqual(presented(nullable(Device), { lastSeen: null, ...SECRET }), {
    device_name: '',
    last_seen: null,
  });
});

test('what is missing is null, or empty where the schema allows no null', () => {
  const schema = Type.Object({
    name: Type.String(),
    meta: Type.Object({}),
    note: nullable(Type.String()),
    device: nullable(Device),
  });
  const nothing = { name: null, meta: null, note: null, device: null };
  assert.deepEqual(presented(schema, nothing), { name: '', meta: {}, note: null, device: null });
});
