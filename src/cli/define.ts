import { Argument, Command } from 'commander';
import type { SettingName } from '../config/config.ts';
import type { Changes, Created } from '../domain/fields.ts';
import { Failure, flagOfParameter } from './failure.ts';
import { addChangeFlags, addFlags, type Flags, readChanges, readFlags } from './flags.ts';
import type { Run } from './run.ts';
import { addSettings, LOCAL } from './settings.ts';

/** Adds a command, or a group of commands, to another one. */
export type AddCommand = (parent: ProgramCommand, run: Run) => void;
/** Command lines to paste, keyed by a comment that says what each does. */
type Examples = Readonly<Record<string, string>>;

/** A command that keeps the texts below its flags in the help, so that the reference can print them. */
export class ProgramCommand extends Command {
  notes: string[] = [];
  examples: Examples = {};
  override createCommand(name?: string): ProgramCommand {
    return new ProgramCommand(name);
  }
}

type ArgumentOf<A extends string> = A extends `${string}...]`
  ? readonly string[]
  : A extends `<${string}`
    ? string
    : string | undefined;

interface Definition<F extends Flags, C extends Flags, A extends string> {
  name: string;
  description: string;
  /** The argument (`<key>`, `[file]` or `[files...]`), its meaning, and the names it accepts, which the action checks. */
  argument?: readonly [name: A, meaning: string, names?: readonly string[]];
  flags?: F;
  /** Defaults of required flags, by parameter name. */
  defaults?: Readonly<Record<string, unknown>>;
  /** Flags that change a record. The command gets --clear too. */
  changes?: C;
  /** The settings that have a flag here; LOCAL if absent. */
  settings?: readonly SettingName[];
  /** Whether the command has --json; true if absent. */
  json?: false;
  /** A paragraph for the help, wrapped by hand. */
  notes?: string;
  examples: Examples;
  subcommands?: readonly AddCommand[];
  /** Runs after all flags are read. */
  action(
    call: { run: Run; values: Created<F>; changes: Changes<C> },
    argument: ArgumentOf<A>,
  ): Promise<unknown>;
}

/** Defines a command: its help, its flags and what it does. */
export const define =
  <const F extends Flags, const C extends Flags, const A extends string>(
    definition: Definition<F, C, A>,
  ): AddCommand =>
  (parent, run) => {
    const { name, description, argument, flags = {} as F, changes = {} as C, subcommands } = definition;
    const command = parent.command(name).description(description);
    if (argument) command.addArgument(argumentOf(...argument));
    addFlags(command, flags, definition.defaults);
    if (definition.changes) addChangeFlags(command, changes);
    addSettings(command, definition.settings ?? LOCAL);
    if (definition.json !== false) command.option('--json', 'Answer in JSON, for scripts');
    if (definition.notes) addNotes(command, definition.notes);
    addExamples(command, definition.examples);
    command.action(async (first: unknown) => {
      const call = {
        run,
        values: readFlags(flags, run.given, definition.defaults),
        changes: definition.changes ? readChanges(changes, run.given) : ({} as Changes<C>),
      };
      await definition.action(call, first as ArgumentOf<A>);
    });
    if (!subcommands) return;
    // Otherwise the flags of a subcommand would belong to this command.
    command.enablePositionalOptions();
    for (const add of subcommands) add(command, run);
    // The subcommand would not get these flags.
    command.hook('preSubcommand', (_, subcommand) => {
      const [first] = Object.keys(command.opts());
      if (first === undefined) return;
      throw new Failure(2, 'usage', `Put ${flagOfParameter(first)} after "${subcommand.name()}".`);
    });
  };

/** Defines a command that only groups other commands. */
export const group =
  (name: string, description: string, commands: readonly AddCommand[]): AddCommand =>
  (parent, run) => {
    const command = parent.command(name).description(description);
    for (const add of commands) add(command, run);
  };

function argumentOf(name: string, meaning: string, names?: readonly string[]): Argument {
  const argument = new Argument(name, meaning);
  // `choices` would refuse other values in words of its own.
  if (names) argument.argChoices = [...names];
  return argument;
}

export function addExamples(command: ProgramCommand, examples: Examples): void {
  command.examples = examples;
  const lines = Object.entries(examples).map(([comment, line]) => `  # ${comment}\n  ${line}`);
  command.addHelpText('after', `\nExamples:\n${lines.join('\n')}`);
}

/** Returns a note that lists names, in lines of about 80 characters. */
export const listNote = (title: string, names: readonly string[]): string =>
  `${title}: ${names.join(', ')}`.replace(/(.{60,90}?) /g, '$1\n  ');

export function addNotes(command: ProgramCommand, notes: string): void {
  command.notes.push(notes);
  command.addHelpText('after', `\n${notes}`);
}
