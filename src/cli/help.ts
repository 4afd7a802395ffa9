import type { Command } from 'commander';

/** Examples under the help of a command: commands as they can be pasted, each with what it does above it. */
export function addExamples(command: Command, examples: readonly (readonly [what: string, line: string])[]) {
  const lines = examples.map(([what, line]) => `  # ${what}\n  ${line}`);
  return command.addHelpText('after', `\nExamples:\n${lines.join('\n')}`);
}

/** A paragraph under the help of a command, wrapped by hand. */
export const addNotes = (command: Command, notes: string): Command =>
  command.addHelpText('after', `\n${notes}`);
