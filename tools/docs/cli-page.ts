import type { Option } from 'commander';
import type { ProgramCommand } from '../../src/cli/define.ts';
import { EXIT_CODES } from '../../src/cli/failure.ts';
import { createProgram } from '../../src/cli/program.ts';
import { flagOf, SETTINGS, type SettingName } from '../../src/config/config.ts';
import { anchorOf, escaped, GENERATED } from './markdown.ts';

/** Environment variables of settings by their flags. */
const SETTING_OF = new Map(
  (Object.keys(SETTINGS) as SettingName[]).map((name) => [`--${flagOf(name)}`, SETTINGS[name].env]),
);

const INTRODUCTION = `# Command line

\`latchkey\` works on the database of its [settings](settings.md), whether or not a server is running. From a clone of the
repository, write \`npm run -s latchkey --\` instead of \`latchkey\`.

- Every command has \`--help\`.
- Commands that answer have \`--json\`: one line of JSON on standard output, with the names of the API. Errors, notes and
  warnings are lines of JSON on standard error: \`{"error":{"code":"…","message":"…"}}\`, \`{"note":{"message":"…"}}\`.
- A flag that is a setting precedes the variable of the same name. \`--config\` names a [file of
  settings](settings.md#configuration-file).
- The argument after \`--\` may begin with a dash: \`latchkey license show -- -0001\`.`;

/** Returns the text of docs/reference/cli.md. */
export function cliPage(): string {
  const program = createProgram({ io: process, given: {}, exitCode: 0 });
  const codes = Object.entries(EXIT_CODES).map(([code, meaning]) => `| ${code} | ${escaped(meaning)} |`);
  const contents = program.commands.map((command) => {
    const below = command.commands.map((one) => linkTo(one.name(), `${command.name()} ${one.name()}`));
    return `- ${linkTo(command.name(), command.name())}${below.length > 0 ? `: ${below.join(', ')}` : ''}`;
  });
  const parts = [
    ...[GENERATED, INTRODUCTION],
    `## Exit codes\n\n| code | meaning |\n|---|---|\n${codes.join('\n')}`,
    `## Commands\n\n${contents.join('\n')}`,
    ...program.commands.flatMap((command) => sectionsOf(command as ProgramCommand, [])),
  ];
  return `${parts.join('\n\n')}\n`;
}

const linkTo = (name: string, path: string): string => `[${name}](#${anchorOf(`latchkey ${path}`)})`;

/** Returns the sections of a command and its subcommands. */
function sectionsOf(command: ProgramCommand, above: readonly string[]): string[] {
  const path = [...above, command.name()];
  const below = command.commands.flatMap((one) => sectionsOf(one as ProgramCommand, path));
  const title = `## latchkey ${path.join(' ')}\n\n${escaped(command.description())}.`;
  // A group of commands does nothing itself.
  if (Object.keys(command.examples).length === 0) return [title, ...below];
  const options = command.options.filter(({ hidden }) => !hidden);
  const own = options.filter(({ long }) => !SETTING_OF.has(long ?? '') && !COMMON.has(long ?? ''));
  const usage = command.usage().replace(' [command]', '');
  const parts = [
    title,
    `\`\`\`\nlatchkey ${path.join(' ')} ${usage}\n\`\`\``,
    [...command.registeredArguments.map(argumentLine), ...own.map(optionLine)].join('\n'),
    settingsLine(options.filter(({ long }) => SETTING_OF.has(long ?? ''))),
    ...command.notes.map((notes) => escaped(notes)),
    `\`\`\`sh\n${Object.entries(command.examples)
      .map(([comment, line]) => `# ${comment}\n${line}`)
      .join('\n')}\n\`\`\``,
  ];
  return [parts.filter(Boolean).join('\n\n'), ...below];
}

/** Flags that the introduction explains. */
const COMMON = new Set(['--json', '--config']);

function argumentLine(argument: ProgramCommand['registeredArguments'][number]): string {
  const name = `${argument.name()}${argument.variadic ? '...' : ''}`;
  const choices = argument.argChoices ? ` (${argument.argChoices.join(', ')})` : '';
  return `- \`${argument.required ? `<${name}>` : `[${name}]`}\`: ${escaped(argument.description)}${choices}`;
}
const optionLine = ({ flags, description }: Option): string => `- \`${flags}\`: ${escaped(description)}`;
/** A command with more settings than this has all of them. */
const FEW = 10;
function settingsLine(settings: readonly Option[]): string {
  if (settings.length === 0) return '';
  if (settings.length > FEW) return 'Settings: all [settings](settings.md) that have a flag';
  return `Settings: ${settings.map(settingLink).join(', ')}`;
}
const settingLink = ({ long }: Option): string =>
  `[${long}](settings.md#${anchorOf(SETTING_OF.get(long ?? '') ?? '')})`;
