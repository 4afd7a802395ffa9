import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Static, TSchema } from 'typebox';
import type { CommandInput, CommandName, CommandResult } from '../app/commands.ts';
import type { Execute } from '../app/execute.ts';
import type { Actor } from '../domain/actor.ts';
import type { Outcome } from '../domain/refusal.ts';
import { unwrap } from './errors.ts';
import type { Input } from './input.ts';

declare module 'fastify' {
  interface FastifyInstance {
    execute: Execute;
  }
}

type ParamOf<Segment extends string> = Segment extends `:${infer Name}` ? Name : never;
type ParamsOf<Path extends string> = Path extends `${infer First}/${infer Rest}`
  ? ParamOf<First> | ParamsOf<Rest>
  : ParamOf<Path>;

/** The arguments of a route's handler. */
export interface Call<Path extends string = string, T = unknown> {
  request: FastifyRequest;
  reply: FastifyReply;
  /** Path parameters, decoded. */
  params: Readonly<Record<ParamsOf<Path>, string>>;
  input: T;
  actor: Actor;
  /** Executes a command for the actor, and returns its value. @throws HttpProblem for a refusal */
  execute<N extends CommandName>(name: N, input: CommandInput<N>): Promise<ValueOf<CommandResult<N>>>;
}
type ValueOf<Result> = Result extends { ok: true; value: infer Value } ? Value : never;

/** The declaration of a route that every dialect extends. */
export interface Route<Path extends string, Data, T> {
  summary: string;
  description?: string;
  input?: Input<T>;
  /** The schema of the answer. */
  data?: Data;
  /** The handler reads a multipart body itself. */
  upload?: true;
  /** Answers with the data, or with the reply if it has sent the answer itself. */
  handler(call: Call<Path, T>): Promise<Answer<Data>> | Answer<Data>;
}
type Answer<Data> = [Data] extends [TSchema]
  ? [Data] extends [never]
    ? unknown
    : Static<Data> | FastifyReply
  : unknown;

/** @param actorOf is called only if the handler wants the actor */
export const callOf = <Path extends string, T>(
  request: FastifyRequest,
  reply: FastifyReply,
  input: Input<T> | undefined,
  actorOf: (request: FastifyRequest) => Actor,
): Call<Path, T> => ({
  request,
  reply,
  params: request.params as Call<Path>['params'],
  input: input?.read(request) as T,
  get actor() {
    return actorOf(request);
  },
  execute: async (name, input) =>
    unwrap((await request.server.execute(name, input, actorOf(request))) as Outcome<never>),
});

/** The names of the parameters of a path: `license_key` of `/licenses/:license_key`. */
export const paramsIn = (path: string): string[] =>
  [...path.matchAll(/:(\w+)/g)].map(([, name]) => `${name}`);
