import type { Keyring } from '../keys/keyring.ts';
import type { Transaction } from '../store.ts';
import { apiKeyQueries } from './api-keys/api-keys.ts';
import { auditQueries } from './audit/audit.ts';
import { stagedQueries } from './batches/staged.ts';
import { deliveryQueries } from './events/deliveries.ts';
import { endpointQueries } from './events/endpoints.ts';
import { eventQueries } from './events/events.ts';
import { expiryQueries } from './events/expiries.ts';
import { generatorQueries } from './generators/generators.ts';
import { housekeepingQueries } from './housekeeping.ts';
import { masterKeyQueries } from './keys/master-key.ts';
import { signingKeyQueries } from './keys/signing-keys.ts';
import { activationQueries } from './licenses/activations.ts';
import { licenseQueries } from './licenses/licenses.ts';
import { noteQueries } from './licenses/notes.ts';
import { revocationQueries } from './licenses/revocations.ts';
import { trashQueries } from './licenses/trash.ts';
import { requestCountQueries } from './limits/request-counts.ts';
import { moveQueries } from './moving/moving.ts';
import { invitationQueries } from './people/invitations.ts';
import { sessionQueries } from './people/sessions.ts';
import { userQueries } from './people/users.ts';
import { artifactQueries } from './releases/artifacts.ts';
import { downloadQueries } from './releases/downloads.ts';
import { productQueries } from './releases/products.ts';
import { releaseQueries } from './releases/releases.ts';
import { softwareQueries } from './releases/software.ts';
import { repeatedChangeQueries, requestQueries } from './repeatable.ts';
import { recordCountQueries } from './reports/record-counts.ts';
import { reportQueries } from './reports/reports.ts';
import type { Connection, SqlEngine } from './statement.ts';

/**
 * Compiles every query to the SQL of one engine. The returned function binds the queries to a connection. Outside a
 * transaction, only the reads may be used.
 */
export function queries(engine: SqlEngine, keyring: Keyring): (connection: Connection) => Transaction {
  const { db } = engine;
  const licenses = licenseQueries(engine, keyring);
  const bindings: { [Noun in keyof Transaction]: (connection: Connection) => Transaction[Noun] } = {
    licenses,
    activations: activationQueries(engine, keyring, licenses),
    notes: noteQueries(db),
    trash: trashQueries(engine, keyring, licenses),
    requests: requestQueries(db, keyring),
    repeatedChanges: repeatedChangeQueries(db, keyring),
    revocations: revocationQueries(db),
    generators: generatorQueries(db),
    apiKeys: apiKeyQueries(db),
    users: userQueries(db, keyring),
    sessions: sessionQueries(db),
    invitations: invitationQueries(db),
    staged: stagedQueries(engine, keyring),
    moves: moveQueries(engine, keyring),
    software: softwareQueries(db),
    releases: releaseQueries(db),
    artifacts: artifactQueries(db),
    audit: auditQueries(db, keyring),
    downloads: downloadQueries(db),
    products: productQueries(db),
    events: eventQueries(db),
    endpoints: endpointQueries(engine, keyring),
    deliveries: deliveryQueries(db),
    expiries: expiryQueries(db),
    housekeeping: housekeepingQueries(db),
    reports: reportQueries(db, keyring),
    requestCounts: requestCountQueries(db),
    recordCounts: recordCountQueries(db),
    masterKey: masterKeyQueries(db, keyring),
    signingKeys: signingKeyQueries(db, keyring),
  };
  const nouns = Object.entries(bindings);
  return (connection) =>
    Object.fromEntries(nouns.map(([noun, bind]) => [noun, bind(connection)])) as unknown as Transaction;
}
