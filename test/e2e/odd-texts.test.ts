import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { openAs, PHONE, startConsole } from '../support/console/console-browser.ts';
import { assertNoSidewaysScroll } from '../support/console/console-page.ts';
import { newKey } from '../support/http/api.ts';
import { turnTo } from './pages.ts';

const api = await startConsole({ after });
const ODD = `<img src=x onerror="window.broken=1"><script>window.broken=1</script>=HYPERLINK("x") {{name}} $t(title)`;

test('markup and placeholders in names, labels and changelogs are shown as text', async (t) => {
  const license = await api.license();
  await api.activation(license.license_key, { label: ODD });
  await api.generator({ name: ODD });
  const software = await api.software({ name: ODD });
  await api.release(software.id, { changelog: ODD });
  const page = await openAs(t, api, 'owner');
  const places = ['/activations', '/generators', '/software', `/software/${software.id}`, '/audit'];
  for (const path of [...places, `/licenses/${license.id}`]) {
    await turnTo(page, path);
    if (path !== '/audit') await page.getByText(ODD.slice(0, 60)).first().waitFor();
    assert.equal(await page.evaluate('window.broken'), undefined, path);
  }
  await turnTo(page, '/generators');
  assert.ok((await page.locator('main').innerText()).includes(ODD), 'a placeholder in a name was filled in');
});

test('a key or a name without a break is wrapped on a phone', async (t) => {
  const license = await api.license({ license_key: newKey() + 'K'.repeat(100), valid_for: 5 });
  const software = await api.software({ name: 'N'.repeat(100), slug: 's'.repeat(60) });
  const page = await openAs(t, api, 'owner', PHONE);
  for (const path of ['/', `/licenses/${license.id}`, '/software', `/software/${software.id}`]) {
    await turnTo(page, path);
    await page
      .getByText(/[KNs]{60}/)
      .first()
      .waitFor();
    await assertNoSidewaysScroll(page);
  }
});
