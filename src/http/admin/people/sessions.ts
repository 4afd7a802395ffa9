import type { FastifyInstance } from 'fastify';
import Type, { type Static } from 'typebox';
import { toDatetime } from '../../../domain/datetime.ts';
import { flag, optional } from '../../../domain/fields.ts';
import { isLive, type Session } from '../../../domain/session.ts';
import { unwrap } from '../../errors.ts';
import { parameterSchema } from '../../parameter-schema.ts';
import { consoleActorOf, sessionOf } from '../../people/session.ts';
import { setSessionCookie } from '../../people/session-cookie.ts';
import { presenter } from '../../presenter.ts';
import { createInput } from '../../requests.ts';
import type { Services } from '../../services.ts';
import { idOf } from '../ids.ts';
import { onePage } from '../paging.ts';
import { adminSchema, nullable, pageOf } from '../route-schema.ts';

const tags = ['Account'];

const SessionRecord = Type.Object({
  id: Type.Integer(),
  created_at: Type.String(),
  last_seen_at: Type.String({ description: 'To some minutes' }),
  expires_at: Type.String(),
  ip_address: nullable(Type.String()),
  user_agent: nullable(Type.String()),
  second_factor: Type.Boolean(),
  current: Type.Boolean({ description: 'The one of this request' }),
});

const presentFields = presenter(SessionRecord);
const present = (session: Session, current: number): Static<typeof SessionRecord> =>
  presentFields({ ...session, current: session.id === current });

const othersShape = { others: optional(flag) };
const Ended = Type.Object({ ended: Type.Integer() });

/** Where a user has signed in. */
export function ownSessionRoutes(app: FastifyInstance, { store, execute, clock }: Services): void {
  app.get('/sessions', {
    config: { session: 'anybody' },
    schema: adminSchema({
      operationId: 'listSessions',
      summary: 'Where one has signed in, newest first',
      tags,
      data: pageOf(SessionRecord),
    }),
    handler: async (request) => {
      const { userId, id } = sessionOf(request);
      const now = toDatetime(clock());
      const sessions = await store.read.sessions.ofUser(userId);
      const live = sessions.filter((one) => !one.pending && isLive(one, now));
      return onePage(live.map((one) => present(one, id)));
    },
  });

  app.delete('/sessions', {
    config: { session: 'anybody' },
    schema: adminSchema({
      operationId: 'signOutEverywhere',
      summary: 'Sign out everywhere, or everywhere else',
      tags,
      query: parameterSchema(othersShape, 'query'),
      data: Ended,
    }),
    handler: async (request, reply) => {
      const { userId, id } = sessionOf(request);
      const except = createInput(othersShape, request).others ? id : null;
      const ended = unwrap(
        await execute('end-sessions', { userId, which: { except } }, consoleActorOf(request)),
      );
      if (except === null) setSessionCookie(request, reply, null);
      return { ended };
    },
  });

  app.delete<{ Params: { id: string } }>('/sessions/:id', {
    config: { session: 'anybody' },
    schema: adminSchema({
      operationId: 'endSession',
      summary: 'Sign out in one browser',
      tags,
      path: { id: Type.Integer() },
      data: Ended,
    }),
    handler: async (request) => {
      const { userId } = sessionOf(request);
      const which = { id: idOf(request.params.id, 'session_not_found') };
      return { ended: unwrap(await execute('end-sessions', { userId, which }, consoleActorOf(request))) };
    },
  });
}
