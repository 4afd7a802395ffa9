import type { Kysely } from 'kysely';
import type { Keyring } from '../keys/keyring.ts';
import type { Transaction } from '../store.ts';
import { apiKeyQueries } from './api-keys/api-keys.ts';
import { auditQueries } from './audit/audit.ts';
import { stagedQueries } from './batches/staged.ts';
import { generatorQueries } from './generators/generators.ts';
import { masterKeyQueries } from './keys/master-key.ts';
import { activationQueries } from './licenses/activations.ts';
import type { Lowered } from './licenses/license-search.ts';
import { licenseQueries } from './licenses/licenses.ts';
import { requestCountQueries } from './limits/request-counts.ts';
import { invitationQueries } from './people/invitations.ts';
import { sessionQueries } from './people/sessions.ts';
import { userQueries } from './people/users.ts';
import { artifactQueries } from './releases/artifacts.ts';
import { downloadQueries } from './releases/downloads.ts';
import { productQueries } from './releases/products.ts';
import { releaseQueries } from './releases/releases.ts';
import { softwareQueries } from './releases/software.ts';
import { recordCountQueries } from './reports/record-counts.ts';
import { reportQueries } from './reports/reports.ts';
import type { Schema } from './schema.ts';
import type { Connection } from './statement.ts';

/**
 * Every query, for the engine whose SQL `db` compiles. What comes back binds them to a connection: to one inside a
 * transaction it is all of a Transaction; to any other, its reads.
 */
export function queries(
  db: Kysely<Schema>,
  keyring: Keyring,
  lowered: Lowered,
): (connection: Connection) => Transaction {
  const licenses = licenseQueries(db, keyring, lowered);
  const activations = activationQueries(db, keyring, lowered);
  const generators = generatorQueries(db);
  const apiKeys = apiKeyQueries(db);
  const users = userQueries(db, keyring);
  const sessions = sessionQueries(db);
  const invitations = invitationQueries(db);
  const staged = stagedQueries(db, keyring);
  const software = softwareQueries(db);
  const releases = releaseQueries(db);
  const artifacts = artifactQueries(db);
  const audit = auditQueries(db, keyring);
  const downloads = downloadQueries(db);
  const products = productQueries(db);
  const reports = reportQueries(db, keyring);
  const requestCounts = requestCountQueries(db);
  const recordCounts = recordCountQueries(db);
  const masterKey = masterKeyQueries(db, keyring);
  return (connection) => ({
    licenses: licenses(connection),
    activations: activations(connection, licenses(connection)),
    generators: generators(connection),
    apiKeys: apiKeys(connection),
    users: users(connection),
    sessions: sessions(connection),
    invitations: invitations(connection),
    staged: staged(connection),
    software: software(connection),
    releases: releases(connection),
    artifacts: artifacts(connection),
    audit: audit(connection),
    downloads: downloads(connection),
    products: products(connection),
    reports: reports(connection),
    requestCounts: requestCounts(connection),
    recordCounts: recordCounts(connection),
    masterKey: masterKey(connection),
  });
}
