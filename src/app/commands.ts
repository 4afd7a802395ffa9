import type { AnyCommand, InputOf, ResultOf } from './command.ts';
import * as declared from './declared-commands.ts';

type Declared = Extract<(typeof declared)[keyof typeof declared], AnyCommand>;
type Commands = { readonly [C in Declared as C['name']]: C };

/** Every command, by the name that callers pass to `execute`. */
export const commands = Object.fromEntries(
  Object.values<unknown>(declared)
    .filter(isCommand)
    .map((command) => [command.name, command]),
) as Commands;

export type CommandName = keyof Commands;
export type CommandInput<N extends CommandName> = InputOf<Commands[N]>;
export type CommandResult<N extends CommandName> = ResultOf<Commands[N]>;

function isCommand(one: unknown): one is AnyCommand {
  return typeof one === 'object' && one !== null && 'audit' in one;
}
