import { apiKeyShape, ENDPOINTS, PERMISSIONS } from '../../domain/api-key.ts';
import { oneOf, optional, reference } from '../../domain/fields.ts';
import { commaSeparated, type Meanings } from '../flags.ts';

/** What an API key may do, as flags. */
export const apiKeyFlagShape = {
  permission: apiKeyShape.permission,
  endpoints: optional(commaSeparated(oneOf(ENDPOINTS))),
  products: optional(commaSeparated(reference())),
  expires: apiKeyShape.expiresAt,
  description: apiKeyShape.description,
};
export const API_KEY_MEANINGS: Meanings<typeof apiKeyFlagShape> = {
  permission: ['name', `${PERMISSIONS.join(', ')} (default: read_write)`],
  endpoints: ['names', 'Only these endpoints, separated by commas (default: all)'],
  products: ['ids', 'Only licenses and software of these products, separated by commas (default: all)'],
  expires: ['date', 'When it ends, UTC: "YYYY-MM-DD HH:MM:SS", YYYY-MM-DD or RFC 3339 (default: never)'],
  description: ['text', 'What it is for'],
};

/** The end of a command's help. */
export const ENDPOINTS_NOTE = `Endpoints: ${ENDPOINTS.join(', ')}`.replace(/(.{60,90}?) /g, '$1\n  ');
