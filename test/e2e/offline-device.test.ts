import assert from 'node:assert/strict';
import { after, test } from 'node:test';
// biome-ignore lint/correctness/noUndeclaredDependencies: the console's dependency, whose codes are under test
import { encodeQR } from 'qr';
// biome-ignore lint/correctness/noUndeclaredDependencies: as above
import { decodeQR } from 'qr/decode.js';
import { verifyLease } from '../../sdk/javascript/src/verify.ts';
import { openAs, startConsole } from '../support/console/console-browser.ts';
import { assertAccessible } from '../support/console/console-page.ts';
import { rootsOf } from '../support/leases/leases.ts';
import { offlineDevice } from '../support/leases/offline-device.ts';
import { goTo } from './pages.ts';

const api = await startConsole({ after });

/** Pixels per module of a QR code. */
const MODULE = 4;

/** Decodes the QR code from the path of its SVG. */
function textOfCode(drawing: string, modules: number): string {
  const side = modules * MODULE;
  const data = new Uint8Array(side * side * 4).fill(255);
  for (const [, x, y] of drawing.matchAll(/M(\d+) (\d+)h1v1h-1z/g))
    for (let row = 0; row < MODULE; row++) {
      const from = ((Number(y) * MODULE + row) * side + Number(x) * MODULE) * 4;
      data.fill(0, from, from + MODULE * 4);
    }
  return decodeQR({ width: side, height: side, data });
}

/** A script that gives the page a camera showing a QR code. */
const cameraOf = (text: string) => `navigator.mediaDevices.getUserMedia = async () => {
  const rows = ${JSON.stringify(encodeQR(text, 'raw'))};
  const canvas = document.createElement('canvas');
  canvas.width = canvas.height = (rows.length + 8) * ${MODULE};
  const context = canvas.getContext('2d');
  const draw = () => {
    context.fillStyle = '#fff';
    context.fillRect(0, 0, canvas.width, canvas.height);
    context.fillStyle = '#000';
    rows.forEach((row, y) => row.forEach((isDark, x) =>
      isDark && context.fillRect((x + 4) * ${MODULE}, (y + 4) * ${MODULE}, ${MODULE}, ${MODULE})));
    requestAnimationFrame(draw);
  };
  draw();
  return canvas.captureStream();
}`;

test('a device without network gets a lease for its request, and its receipt frees the seat', async (t) => {
  const page = await openAs(t, api, 'support');
  const { id, license_key: key } = await api.license({ activations_limit: 1 });
  const device = offlineDevice();
  const request = device.request(key, Date.now(), { fpr: 'fp', lbl: 'Press 4' });
  await goTo(page, `/licenses/${id}`);
  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Activate a device without network' }).click();
  const text = page.getByLabel('Request or receipt');
  const check = page.getByRole('button', { name: 'Check' });
  await text.fill(request.slice(0, -10));
  await check.click();
  await page.getByText('This was cut or changed after the device had signed it.').waitFor();
  await text.fill('LKLEASE1.e30.e30.e30');
  await check.click();
  await page.getByText('This is a lease.').waitFor();
  // A mail program wrapped the lines.
  await text.fill(request.replace(/.{76}/g, '$&\n'));
  await check.click();
  await page.getByRole('heading', { name: 'Activate this device?' }).waitFor();
  await page.getByRole('row', { name: 'Device Press 4' }).waitFor();
  await page.getByRole('row', { name: 'Activations 0 of 1' }).waitFor();
  await assertAccessible(page);
  assert.equal((await api.ok('GET', `/licenses/${key}`)).times_activated, 0);
  await page.getByRole('button', { name: 'Activate device' }).click();
  const code = page.getByRole('img', { name: 'Lease as a QR code' });
  await code.waitFor();
  await assertAccessible(page);
  const [, modules] = /^0 0 (\d+) /.exec((await code.getAttribute('viewBox')) ?? '') ?? [];
  const drawing = await code.locator('path').nth(1).getAttribute('d');
  const shown = textOfCode(`${drawing}`, Number(modules));
  assert.equal(shown, await page.locator('pre').textContent());
  const roots = await rootsOf(api.service);
  const given = { roots, now: Math.floor(Date.now() / 1_000), fingerprint: 'fp', deviceKey: device.x };
  const verified = await verifyLease(shown, { ...given, nonce: 'nonce-1' });
  assert.ok(verified.ok, JSON.stringify(verified));
  const { lic, sub } = verified.lease;
  assert.equal(lic, `lic_${id}`);

  await page.getByRole('button', { name: 'Next device' }).click();
  const activationId = Number(sub?.slice('act_'.length));
  await page.evaluate(cameraOf(device.receipt(activationId, id, Date.now())));
  await page.getByRole('button', { name: 'Scan QR code' }).click();
  await page.getByRole('heading', { name: 'Free this device’s seat?' }).waitFor();
  await page.getByRole('button', { name: 'Free seat' }).click();
  await page.getByText('Seat freed').waitFor();
  assert.equal((await api.ok('GET', `/licenses/${key}`)).times_activated, 0);
  await page.getByRole('link', { name: 'Go to license' }).click();
  await page.getByRole('tab', { name: 'History' }).click();
  await page.getByRole('row', { name: /Offline lease issued/ }).waitFor();
});
