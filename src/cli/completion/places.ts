import type { Argument, Option } from 'commander';
import type { ProgramCommand } from '../define.ts';
import { Flag } from '../flags.ts';

/** A command, and what may follow its name. */
export interface Place {
  /** The words of the command without the program's name: ` license create`; '' for the program itself. */
  path: string;
  commands: { name: string; meaning: string }[];
  flags: { name: string; meaning: string; value: Value; isRepeated: boolean }[];
  argument: Value;
}

/** What a shell can complete: nothing, because there is no value; nothing, because it is free text; names; or paths. */
export type Value = 'none' | 'text' | 'file' | 'folder' | readonly string[];

/** Returns the program itself, and then every command. */
export function placesOf(command: ProgramCommand, path = ''): Place[] {
  const [argument] = command.registeredArguments;
  const place = {
    path,
    commands: command.commands.map((one) => ({ name: one.name(), meaning: one.description() })),
    flags: [
      ...command.options.filter(({ hidden }) => !hidden).map(flagOf),
      { name: '--help', meaning: 'Show help', value: 'none' as const, isRepeated: false },
    ],
    argument: argument ? argumentOf(argument) : ('none' as const),
  };
  const below = command.commands.flatMap((one) => placesOf(one as ProgramCommand, `${path} ${one.name()}`));
  return [place, ...below];
}

function flagOf(option: Option): Place['flags'][number] {
  const { long, flags, description, required, parseArg } = option;
  const placeholder = /<(.*)>/.exec(flags)?.[1] ?? '';
  const names = option instanceof Flag ? option.names : [];
  const value = !required ? 'none' : names.length > 0 ? names : pathOr(placeholder);
  // Keep only the first clause: shells show one line.
  const meaning = description.split(/ \(|; /)[0] as string;
  return { name: long as string, meaning, value, isRepeated: parseArg !== undefined };
}

const argumentOf = (argument: Argument): Value =>
  argument.argChoices ?? pathOr(argument.name().replace(/s$/, ''));

const PATHS: Readonly<Record<string, Value>> = { file: 'file', path: 'file', folder: 'folder' };
const pathOr = (placeholder: string): Value => PATHS[placeholder] ?? 'text';
