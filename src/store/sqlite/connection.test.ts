import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryFolder } from '../../../test/support/folder.ts';
import { beside, SqliteConnection } from './connection.ts';

test('a log that a reader held is truncated after the next commit without readers', async () => {
  const file = join(temporaryFolder(), 'latchkey.db');
  using writer = new SqliteConnection(file, { readOnly: false, timeout: 0 });
  writer.exec("create table kept (secret text) strict; insert into kept values ('clear')");
  const logSize = () => statSync(beside(file, '-wal')).size;
  {
    using reader = new SqliteConnection(file, { readOnly: true, timeout: 0 });
    reader.exec('begin');
    reader.run('select * from kept', []);
    await writer.execute("update kept set secret = 'sealed'", [], { name: null, reads: false, secret: true });
    writer.forgetSecrets();
    assert.notEqual(logSize(), 0);
    writer.forgetSecrets();
  }
  writer.forgetSecrets();
  assert.equal(logSize(), 0);
});
