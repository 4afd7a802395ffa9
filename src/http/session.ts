import type { FastifyInstance, FastifyRequest, onRequestAsyncHookHandler } from 'fastify';
import type { Actor } from '../domain/actor.ts';
import { type Permission, type Role, roleMay } from '../domain/user.ts';
import { clientOf } from './client.ts';
import { problem } from './errors.ts';
import type { Services } from './services.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * A route of the console: what a user who has signed in must be allowed. 'anybody' for any user, 'nobody' where no
     * session is needed.
     */
    session?: Permission | 'anybody' | 'nobody';
  }
  interface FastifyRequest {
    /** Who has signed in to the console; null elsewhere. */
    session: Session | null;
  }
}

/** Somebody who has signed in to the console. */
export interface Session {
  userId: number;
  role: Role;
}

/** A hook that lets no request of the console past without a session whose user may do what it asks for. */
export function sessionHook(app: FastifyInstance, _services: Services): onRequestAsyncHookHandler {
  app.decorateRequest('session', null);
  return async (request) => {
    const needed = request.route.config.session;
    if (needed === undefined || needed === 'nobody') return;
    throw problem('authentication_error', 'Sign in first.');
  };
}

export function sessionOf(request: FastifyRequest): Session {
  if (!request.session) throw new Error('a route without a session acts for nobody');
  return request.session;
}

/** On whose behalf a request of the console acts. */
export function consoleActorOf(request: FastifyRequest): Actor {
  const { userId } = sessionOf(request);
  const origin = clientOf(request).ipAddress;
  return { userId, via: 'console', apiKeyId: null, origin, products: null };
}

/** Whether who has signed in may also do this. */
export const mayAlso = (request: FastifyRequest, permission: Permission): boolean =>
  roleMay(sessionOf(request).role, permission);
