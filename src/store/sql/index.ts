import type { Kysely } from 'kysely';
import type { Keyring } from '../keyring.ts';
import type { Transaction } from '../store.ts';
import { activationQueries } from './activations.ts';
import { addressCountQueries } from './address-counts.ts';
import { apiKeyQueries } from './api-keys.ts';
import { artifactQueries } from './artifacts.ts';
import { auditQueries } from './audit.ts';
import { downloadQueries } from './downloads.ts';
import { generatorQueries } from './generators.ts';
import { invitationQueries } from './invitations.ts';
import type { Lowered } from './license-search.ts';
import { licenseQueries } from './licenses.ts';
import { masterKeyQueries } from './master-key.ts';
import { productQueries } from './products.ts';
import { recordCountQueries } from './record-counts.ts';
import { releaseQueries } from './releases.ts';
import { reportQueries } from './reports.ts';
import { requestCountQueries } from './request-counts.ts';
import type { Schema } from './schema.ts';
import { sessionQueries } from './sessions.ts';
import { softwareQueries } from './software.ts';
import { stagedQueries } from './staged.ts';
import type { Connection } from './statement.ts';
import { userQueries } from './users.ts';

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
  const addressCounts = addressCountQueries(db);
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
    addressCounts: addressCounts(connection),
    requestCounts: requestCounts(connection),
    recordCounts: recordCounts(connection),
    masterKey: masterKey(connection),
  });
}
