import type { Generated } from 'kysely';
import type { Activation, ForgottenActivations } from '../../domain/activation.ts';
import type { ApiKey } from '../../domain/api-key.ts';
import type { AuditEntry } from '../../domain/audit.ts';
import type { Delivery } from '../../domain/events/delivery.ts';
import type { EventEndpoint } from '../../domain/events/endpoint.ts';
import type { Event } from '../../domain/events/event.ts';
import type { Generator } from '../../domain/generator.ts';
import type { Revocation } from '../../domain/lease.ts';
import type { License } from '../../domain/licenses/license.ts';
import type { SnakeCased } from '../../domain/names.ts';
import type { DownloadRecord } from '../../domain/releases/download.ts';
import type { Release } from '../../domain/releases/release.ts';
import type { Software } from '../../domain/releases/software.ts';
import type { Invitation, Session } from '../../domain/session.ts';
import type { SigningKeyRecord } from '../../domain/signing-key.ts';
import type { LicenseTerms } from '../../domain/terms.ts';
import type { User, UserSecrets } from '../../domain/user.ts';
import type { DeliveryCount } from '../events/events.ts';
import type { MovingKind } from '../moving/moving.ts';
import type { Artifact, StagedLicense } from '../records.ts';

/**
 * Columns named like the fields of a record. Fields in `Not` have no column of their own; fields in `Json` are JSON
 * text.
 */
type Columns<Record_, Not extends keyof Record_ = never, Json extends keyof Record_ = never> = {
  id: Generated<number>;
} & SnakeCased<Omit<Record_, 'id' | Not | Json> & { [Name in Json]: string | Extract<Record_[Name], null> }>;

interface KeyColumns {
  /** Blind index of the license key, 24 bytes; its hash of 32 bytes in rows of earlier versions. */
  key_hash: Uint8Array;
  sealed_key: Uint8Array;
  /** Hash of the key suffix. No bytes for a key that is too short; null until it was computed. */
  ending_hash: Uint8Array | null;
}

/** The terms as JSON; null for the defaults. The column is named after its first content, the seat policy. */
export interface TermsColumn {
  seat_policy: string | null;
}

/** When the last lease ends that a revocation would void; null if there was none. */
export interface LeaseColumn {
  leased_until: string | null;
}

type LicenseTable = Columns<License, 'key' | keyof LicenseTerms> & KeyColumns & LeaseColumn & TermsColumn;
type ActivationTable = Columns<Activation, never, 'meta'> &
  LeaseColumn & { sealed_token: Uint8Array | null; binding: Uint8Array | null };

/** The tables as both engines return them: datetimes as text, bytes as Uint8Array. */
export interface Schema {
  meta: { name: string; value: string };
  signing_keys: SnakeCased<Omit<SigningKeyRecord, 'hasPrivateHalf'>> & { private_half: Uint8Array | null };
  users: Columns<Omit<User, 'hasPassword' | 'hasTotp'>> &
    SnakeCased<Pick<UserSecrets, 'passwordHash' | 'totpPendingAt' | 'totpTries' | 'totpLastStep'>> & {
      email_key: string | null;
      totp_secret: Uint8Array | null;
      totp_pending: Uint8Array | null;
    };
  sessions: Columns<Session, 'secondFactor' | 'pending'> & {
    token_hash: Uint8Array;
    second_factor: number;
    pending: number;
  };
  recovery_codes: { user_id: number; code_hash: Uint8Array; used_at: string | null };
  invitations: SnakeCased<Invitation> & {
    token_hash: Uint8Array;
    created_at: string;
    used_at: string | null;
  };
  licenses: LicenseTable;
  /** `license_id` is the id that the license had. */
  trashed_licenses: LicenseTable & {
    license_id: number;
    deleted_at: string;
    deleted_by: number;
    belongings: string | null;
  };
  /** `token`: the blind index; the token itself in rows of earlier versions, where `sealed_token` is null. */
  activations: ActivationTable;
  trashed_activations: Omit<ActivationTable, 'id'> & { id: number; deleted_at: string };
  revocations: Columns<Revocation & { id: number; until: string }>;
  deleted_activations: { token: string; deleted_at: string };
  idempotency_keys: {
    license_id: number;
    key_hash: string;
    request_hash: string;
    activation_id: number | null;
    is_new: number;
    created_at: string;
  };
  repeated_changes: {
    user_id: number;
    key_hash: string;
    request_hash: string;
    note: string | null;
    created_at: string;
  };
  forgotten_activations: SnakeCased<ForgottenActivations> & { license_id: number };
  generators: Columns<Generator, keyof LicenseTerms> & TermsColumn;
  api_keys: Columns<ApiKey, never, 'endpoints' | 'products'> & { key_hash: Uint8Array };
  staged_licenses: SnakeCased<Omit<StagedLicense, 'key' | 'notes' | 'customerEmail' | keyof LicenseTerms>> &
    Pick<LicenseTable, 'customer_email'> &
    KeyColumns &
    TermsColumn & { batch: string; staged_at: string; notes: string | null };
  license_meta: { id: Generated<number>; license_id: number; name: string; value: string | null };
  /** `tags`: a JSON list. */
  license_notes: { license_id: number; note: string | null; tags: string };
  license_words: { word: Uint8Array; license_id: number };
  moved_records: {
    shop: string;
    kind: MovingKind;
    source_id: number;
    record_id: number;
    merged: number;
    digest: Uint8Array;
  };
  staged_records: {
    shop: string;
    kind: MovingKind;
    source_id: number;
    digest: Uint8Array;
    /** JSON */
    record: string;
    staged_at: string;
  };
  software: Columns<Software, 'productIds', 'icons' | 'banners'>;
  software_products: { software_id: number; product_id: number; position: number };
  artifacts: Columns<Artifact, 'key'> & { storage_key: string; created_at: string };
  releases: Columns<Release, 'file'> & {
    version_order: Uint8Array;
    artifact_id: number | null;
    file_name: string | null;
    file_type: string | null;
  };
  downloads: Columns<DownloadRecord, never, 'meta'> & { created_at: string; once: string | null };
  download_counts: { release_id: number; day: string; downloads: number };
  version_checks: { release_id: number; day: string; checks: number };
  /** Times in milliseconds since the epoch. `lasts`: null for a minute. */
  request_counts: { address: string; started: number; taken: number; lease: number; lasts: number | null };
  audit_entries: Columns<AuditEntry, 'subject', 'details'> & {
    subject_type: string;
    subject_id: number | null;
    /** JSON */
    details: string;
    mac: Uint8Array;
  };
  audit_chain: { position: number; entry_id: number; hash: Uint8Array };
  /** `product_id`: 0 for licenses without a product. */
  renewal_counts: { day: string; product_id: number; renewals: number };
  usage_counts: { day: string; counted: string; count: number };
  event_endpoints: Columns<EventEndpoint, 'isOrdered', 'types' | 'products' | 'headerNames'> & {
    is_ordered: number;
    secrets: Uint8Array | null;
    leased_by: string | null;
    leased_until: string | null;
  };
  events: Columns<Event, 'uid' | 'data' | 'productIds'> & {
    uid: string | null;
    /** JSON */
    product_ids: string | null;
    data: string | null;
    once: string | null;
    placed: number;
  };
  event_deliveries: SnakeCased<Delivery>;
  event_delivery_counts: SnakeCased<DeliveryCount> & { endpoint_id: number };
  record_counts: { counted: string; shard: number; records: number };
}
