import type { FastifyReply, FastifyRequest } from 'fastify';
import type { CommandInput, CommandName, CommandResult } from '../app/commands.ts';
import type { Execute } from '../app/execute.ts';
import type { Actor } from '../domain/actor.ts';
import type { Outcome } from '../domain/refusal.ts';
import type { Conditions, Expected, RepeatableRequest } from '../store/store.ts';
import { unwrap } from './errors.ts';
import type { Input } from './input.ts';
import { repeatable } from './repeatable.ts';

declare module 'fastify' {
  interface FastifyInstance {
    execute: Execute;
  }
}

type ParamOf<Segment extends string> = Segment extends `:${infer Name}` ? Name : never;
type ParamsOf<Path extends string> = Path extends `${infer First}/${infer Rest}`
  ? ParamOf<First> | ParamsOf<Rest>
  : ParamOf<Path>;

interface Demands {
  /**
   * The name of the operation, if the request may have an Idempotency-Key. `execute` then answers a repeated request with
   * the result of the first one.
   */
  operation?: string | undefined;
  /** The version of the record that the request changes, if it names one. */
  expects?: Expected | undefined;
}

/**
 * The arguments of a route's handler. A class, because V8 gives every object literal with a getter a shape of its own, which
 * keeps the request in memory until a full collection.
 */
export class Call<Path extends string = string, T = unknown> {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly input: T;
  /** The Idempotency-Key of the request and a digest of what it asks for; null without a key. */
  readonly repeated: RepeatableRequest | null;
  readonly #actorOf: (request: FastifyRequest) => Actor;
  readonly #conditions: Conditions;

  constructor(
    request: FastifyRequest,
    reply: FastifyReply,
    input: Input<T> | undefined,
    actorOf: (request: FastifyRequest) => Actor,
    { operation, expects }: Demands = {},
  ) {
    this.request = request;
    this.reply = reply;
    this.input = input?.read(request) as T;
    this.repeated =
      operation === undefined ? null : repeatable(request, operation, request.params, this.input);
    this.#actorOf = actorOf;
    this.#conditions = { expects, request: this.repeated };
  }

  /** Path parameters, decoded. */
  get params(): Readonly<Record<ParamsOf<Path>, string>> {
    return this.request.params as Call<Path>['params'];
  }

  get actor(): Actor {
    return this.#actorOf(this.request);
  }

  /** Executes commands under the conditions of the request: `If-Match` and `Idempotency-Key`. */
  get executing(): Execute {
    return (name, input, actor) => this.request.server.execute(name, input, actor, this.#conditions);
  }

  /** Executes a command for the actor, and returns its value. @throws HttpProblem for a refusal */
  get execute() {
    return async <N extends CommandName>(
      name: N,
      input: CommandInput<N>,
    ): Promise<ValueOf<CommandResult<N>>> =>
      unwrap((await this.executing(name, input, this.actor)) as Outcome<never>);
  }
}
type ValueOf<Result> = Result extends { ok: true; value: infer Value } ? Value : never;

/** What the routes of all dialects with an API document declare. */
export interface Route<Data, T> {
  summary: string;
  description?: string;
  input?: Input<T>;
  /** The schema of the answer. */
  data?: Data;
  /** The handler reads a multipart body itself. */
  upload?: true;
}

/** The names of the parameters of a path: `license_key` of `/licenses/:license_key`. */
export const paramsIn = (path: string): string[] =>
  [...path.matchAll(/:(\w+)/g)].map(([, name]) => `${name}`);
