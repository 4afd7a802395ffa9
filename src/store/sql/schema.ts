import type { Generated } from 'kysely';
import type { ApiKey } from '../../domain/api-key.ts';
import type { Generator } from '../../domain/generator.ts';
import type { SnakeCased } from '../../domain/names.ts';
import type { Release } from '../../domain/release.ts';
import type { Software } from '../../domain/software.ts';

/** Columns with the names of a record's fields. Fields that are no column of their own are left out, or are JSON. */
type Columns<Record_, Not extends keyof Record_ = never, Json extends keyof Record_ = never> = {
  id: Generated<number>;
} & SnakeCased<Omit<Record_, 'id' | Not | Json> & { [Name in Json]: string | Extract<Record_[Name], null> }>;

/** The tables as both engines answer them: datetimes as text, bytes as Uint8Array. */
export interface Schema {
  meta: { name: string; value: string };
  users: {
    id: Generated<number>;
    name: string;
    created_at: string;
    email: string | null;
    email_key: string | null;
    password_hash: string | null;
    role: string | null;
    totp_secret: Uint8Array | null;
    totp_pending: Uint8Array | null;
    totp_last_step: number | null;
    disabled_at: string | null;
  };
  sessions: {
    id: Generated<number>;
    token_hash: Uint8Array;
    user_id: number;
    created_at: string;
    last_seen_at: string;
    expires_at: string;
    ip_address: string | null;
    user_agent: string | null;
    second_factor: number;
    pending: number;
    failures: number;
    confirmed_at: string | null;
  };
  recovery_codes: { user_id: number; code_hash: Uint8Array; used_at: string | null };
  invitations: {
    token_hash: Uint8Array;
    user_id: number;
    purpose: string;
    created_at: string;
    expires_at: string;
    used_at: string | null;
  };
  licenses: {
    id: Generated<number>;
    key_hash: Uint8Array;
    sealed_key: Uint8Array;
    order_id: number | null;
    product_id: number | null;
    user_id: number | null;
    expires_at: string | null;
    valid_for: number;
    source: number;
    status: number;
    times_activated: Generated<number>;
    activations_limit: number;
    created_at: string;
    created_by: number;
    updated_at: string | null;
    updated_by: number | null;
    /** No bytes for a key that is too short; null where it has not been reckoned. */
    ending_hash: Uint8Array | null;
  };
  activations: {
    id: Generated<number>;
    license_id: number;
    software_id: number | null;
    token: string;
    label: string | null;
    source: number;
    ip_address: string | null;
    user_agent: string | null;
    /** JSON */
    meta: string | null;
    created_at: string;
    updated_at: string | null;
    deactivated_at: string | null;
  };
  generators: Columns<Generator>;
  api_keys: Columns<ApiKey, never, 'endpoints' | 'products'> & { key_hash: Uint8Array };
  staged_licenses: {
    batch: string;
    row: number;
    key_hash: Uint8Array;
    sealed_key: Uint8Array;
    order_id: number | null;
    product_id: number | null;
    user_id: number | null;
    expires_at: string | null;
    valid_for: number;
    status: number;
    activations_limit: number;
    staged_at: string;
    ending_hash: Uint8Array | null;
  };
  software: Columns<Software, 'productIds', 'icons' | 'banners'>;
  software_products: { software_id: number; product_id: number; position: number };
  artifacts: {
    id: Generated<number>;
    sha256: string;
    sha512: string;
    size: number;
    storage_key: string;
    created_at: string;
  };
  releases: Columns<Release, 'file'> & {
    version_order: Uint8Array;
    artifact_id: number | null;
    file_name: string | null;
    file_type: string | null;
  };
  downloads: {
    id: Generated<number>;
    release_id: number;
    license_id: number | null;
    activation_id: number | null;
    ip_address: string | null;
    user_agent: string | null;
    /** JSON */
    meta: string | null;
    created_at: string;
  };
  download_counts: { release_id: number; day: string; downloads: number };
  request_counts: {
    address: string;
    started: number;
    taken: number;
    lease: number;
    lasts: number | null;
  };
  audit_entries: {
    id: Generated<number>;
    at: string;
    action: string;
    user_id: number;
    via: string;
    api_key_id: number | null;
    origin: string | null;
    subject_type: string;
    subject_id: number | null;
    /** JSON */
    details: string;
    mac: Uint8Array;
  };
  audit_chain: { position: number; entry_id: number; hash: Uint8Array };
  usage_counts: { day: string; counted: string; count: number };
  record_counts: { counted: string; shard: number; records: number };
}
