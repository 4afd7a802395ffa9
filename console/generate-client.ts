import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import openapiTypescript, { astToString } from 'openapi-typescript';
import { adminDocument } from '../src/http/admin/document.ts';

/** Writes the types of the console's API, made from its OpenAPI document, into client/schema.d.ts. */

const FILE = fileURLToPath(new URL('client/schema.d.ts', import.meta.url));
const HEADER = '// Made by `npm run console:client` from the schemas of src/http/admin/. Do not edit.\n\n';

export async function clientTypes(): Promise<string> {
  const document = JSON.stringify(await adminDocument());
  return HEADER + astToString(await openapiTypescript(document, { alphabetize: true }));
}

if (import.meta.main) writeFileSync(FILE, await clientTypes());
