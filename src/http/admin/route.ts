import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify';
import Type, { type Static, type TSchema } from 'typebox';
import { etagOf } from '../../app/etags.ts';
import { reference } from '../../domain/fields.ts';
import type { Expected } from '../../store/store.ts';
import { Call, paramsIn, type Route } from '../call.ts';
import { isDocument } from '../docs/document.ts';
import { refuse } from '../errors.ts';
import { consoleActorOf, type SessionNeed } from '../people/session.ts';
import { type Presentable, presenter } from '../presenter.ts';
import { idempotencyHeader } from '../repeatable.ts';
import type { Services } from '../services.ts';

const Reason = Type.Object({ code: Type.String(), args: Type.Record(Type.String(), Type.Unknown()) });
const Failure = Type.Object({
  code: Type.String(),
  message: Type.String({ description: 'In English' }),
  data: Type.Object({
    status: Type.Integer(),
    reason: Type.Optional(Reason),
    params: Type.Optional(
      Type.Record(Type.String(), Type.String(), { description: 'The problem of each parameter, in English' }),
    ),
    reasons: Type.Optional(
      Type.Record(Type.String(), Reason, { description: 'The problem of each parameter, as a code' }),
    ),
  }),
});

/** The answer to a refused request, in the API document. */
export const FAILURE = { description: 'Error', content: { 'application/json': { schema: Failure } } };

/** The schema of an answer: `file` for the bytes of a file, `lines` for one JSON value a line (see `answerLines`). */
type Data = TSchema | 'file' | 'lines';
const KINDS: Record<string, string> = { file: 'application/octet-stream', lines: 'application/x-ndjson' };
const Empty = Type.Object({});
const IDEMPOTENCY = idempotencyHeader(
  'A random text: a request that is repeated within 24 hours changes nothing, and gets the same answer',
);

/** A route of the console's API. Without `data`, it answers `{}`. */
interface AdminRoute<Path extends string, D extends Data, T> extends Route<D, T> {
  /** The name of the call in the generated client: `listLicenses`. */
  operationId: string;
  session: SessionNeed;
  /** The user must have entered the password in the last few minutes. */
  confirmed?: true;
  /**
   * The kind of record that the route changes; the last id in the path names the record. With an If-Match header, the route
   * changes only that version of the record.
   */
  edits?: Expected['kind'];
  /** For a day, a repeated request with the same Idempotency-Key changes nothing and gets the same answer. */
  repeatable?: true;
  /** Answers with the data in domain names, or with the reply if it has sent the answer itself. */
  handler(call: Call<Path, T>): Promise<Answer<D>> | Answer<D>;
}
type Answer<D> = [D] extends [never] ? unknown : D extends TSchema ? Presentable<Static<D>> : FastifyReply;

/** Adds routes to the console's API, all with one tag. Answers have no envelope. */
export function adminRouter(app: FastifyInstance, tag: string) {
  const adder =
    (method: HTTPMethods) =>
    <Path extends string, D extends Data = never, T = unknown>(url: Path, route: AdminRoute<Path, D, T>) => {
      const { session, confirmed, edits, repeatable, upload, input, data = Empty, handler, ...about } = route;
      const kind = typeof data === 'string' ? KINDS[data] : 'application/json';
      const schema = typeof data === 'string' ? Type.String() : data;
      const present = presenter(schema) as (answer: unknown) => unknown;
      const path = paramsIn(url).map((name) => [name, Type.Integer()]);
      app.route({
        method,
        url,
        exposeHeadRoute: data !== 'file',
        config: { session, ...(confirmed && { confirmed }), ...(upload && { upload }) },
        ...(isDocument(app) && {
          schema: {
            ...about,
            tags: [tag],
            ...(path.length > 0 && { params: Type.Object(Object.fromEntries(path)) }),
            ...(edits && { headers: IfMatch }),
            ...(repeatable && { headers: IDEMPOTENCY }),
            ...input?.schema,
            response: { 200: { description: 'Success', content: { [`${kind}`]: { schema } } } },
          },
        }),
        async handler(request, reply) {
          const answer = await handler(
            new Call(request, reply, input, consoleActorOf, {
              operation: repeatable && about.operationId,
              expects: edits && expectedBy(request, edits),
            }),
          );
          return data === Empty ? {} : present(answer);
        },
      });
    };
  return { get: adder('GET'), post: adder('POST'), patch: adder('PATCH'), delete: adder('DELETE') };
}

const IfMatch = Type.Object({
  'if-match': Type.Optional(
    Type.String({
      description: 'The `etag` of the record: refused with 412 if the record has changed since',
    }),
  ),
});

/** Returns the version of the record that the request expects; undefined without If-Match. */
function expectedBy(request: FastifyRequest, kind: Expected['kind']): Expected | undefined {
  const { 'if-match': etag } = request.headers;
  const sent = id.read(Object.values(request.params as object).at(-1));
  return etag !== undefined && sent.ok ? { kind, id: sent.value, etag: etag.replaceAll('"', '') } : undefined;
}

const id = reference();

/** Returns the id in a path. @throws 404 of this kind if it is not an id */
export function idOf(sent: string, kind: string): number {
  const read = id.read(sent);
  if (read.ok) return read.value;
  throw refuse('record_not_found', { kind, named: sent });
}

/** The version of a record. A change that sends it as If-Match is refused if the record has changed since. */
export const etag = Type.String();

/** Returns a function that adds the `etag` to a record. */
export const withEtag =
  (kind: Expected['kind'], { read }: Services['store']) =>
  <Record_ extends object>(record: Record_) => ({ ...record, etag: etagOf(kind, record, read.licenses) });

export const nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
