import assert from 'node:assert/strict';
import { test } from 'node:test';
import { settingDefaults, settingMeanings } from '../../console/messages/de/setting-meanings.ts';
import { SETTINGS } from '../../src/config/settings.ts';

const settings = Object.values(SETTINGS);

test('every setting has a German description, and every default in words has a German text', () => {
  assert.deepEqual(
    Object.keys(settingMeanings),
    settings.map(({ env }) => env),
  );
  const worded = settings.map(({ fallback }) => fallback).filter((text) => / |'|^none$/.test(text));
  assert.deepEqual(Object.keys(settingDefaults).sort(), [...new Set(worded)].sort());
});
