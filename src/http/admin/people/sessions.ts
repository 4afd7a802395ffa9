import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import { toDatetime } from '../../../domain/datetime.ts';
import { flag, optional } from '../../../domain/fields.ts';
import { isLive } from '../../../domain/session.ts';
import { query } from '../../input.ts';
import { setSessionCookie } from '../../people/cookies.ts';
import { sessionOf } from '../../people/session.ts';
import type { Services } from '../../services.ts';
import { onePage, pageOf } from '../paging.ts';
import { adminRouter, idOf, nullable } from '../route.ts';

const SessionRecord = Type.Object({
  id: Type.Integer(),
  created_at: Type.String(),
  last_seen_at: Type.String({ description: 'Accurate to some minutes' }),
  expires_at: Type.String(),
  ip_address: nullable(Type.String()),
  user_agent: nullable(Type.String()),
  second_factor: Type.Boolean(),
  current: Type.Boolean({ description: 'The session of this request' }),
});

const othersShape = { others: optional(flag) };
const Ended = Type.Object({ ended: Type.Integer() });
const session = 'anybody';

/** The sessions of the user who has signed in. */
export function ownSessionRoutes(app: FastifyInstance, { store, clock }: Services): void {
  const route = adminRouter(app, 'Account');

  route.get('/sessions', {
    operationId: 'listSessions',
    summary: 'List your own sessions, newest first',
    session,
    data: pageOf(SessionRecord),
    async handler({ request }) {
      const { user, id } = sessionOf(request);
      const now = toDatetime(clock());
      const sessions = await store.read.sessions.ofUser(user.id);
      const live = sessions.filter((one) => !one.pending && isLive(one, now));
      return onePage(live.map((one) => ({ ...one, current: one.id === id })));
    },
  });

  route.delete('/sessions', {
    operationId: 'signOutEverywhere',
    summary: 'End all of your sessions, or all others',
    session,
    input: query(othersShape),
    data: Ended,
    async handler({ request, reply, input: { others }, execute }) {
      const { user, id } = sessionOf(request);
      const except = others ? id : null;
      const ended = await execute('end-sessions', { userId: user.id, which: { except } });
      if (except === null) setSessionCookie(request, reply, null);
      return { ended };
    },
  });

  route.delete('/sessions/:id', {
    operationId: 'endSession',
    summary: 'End one of your sessions',
    session,
    data: Ended,
    async handler({ request, params, execute }) {
      const { user } = sessionOf(request);
      const which = { id: idOf(params.id, 'session') };
      return { ended: await execute('end-sessions', { userId: user.id, which }) };
    },
  });
}
