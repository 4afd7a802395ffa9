/** A block of shell commands in a Markdown file. */
export interface ShellBlock {
  line: number;
  commands: string;
  /** Why the block is not run: from a comment on the line before it, `<!-- not run: … -->`. */
  notRun: string | null;
}

const BLOCK = /^( *)(?:<!-- not run: (.+) -->\n *)?```sh\n(.*?)\n *```$/gms;

/** The Markdown blocks marked as `sh`, in order. */
export const shellBlocks = (markdown: string): ShellBlock[] =>
  [...markdown.matchAll(BLOCK)].map(({ index, 1: indent = '', 2: notRun = null, 3: text = '' }) => ({
    line: markdown.slice(0, index).split('\n').length,
    commands: text.replaceAll(`\n${indent}`, '\n'),
    notRun,
  }));

/** Placeholders that a reader fills from earlier output, and the commands that fill them. */
const COPIED: readonly [placeholder: RegExp, command: string][] = [
  [/KEY=ck_…\s+SECRET=cs_…/, 'KEY=$READER_KEY SECRET=$READER_SECRET'],
  [/ck_…/, newest('ck_[0-9a-f]{40}')],
  [/cs_…/, newest('cs_[0-9a-f]{40}')],
  [/TOKEN=…/, `TOKEN=${newest('"token":"[0-9a-f]{40}"')}`],
];

function newest(form: string): string {
  return `$(grep -oE '${form}' "$TRANSCRIPT" | tail -n 1 | tr -d '"' | sed s/token://)`;
}

/** Fills the placeholders in commands, as a reader does. */
export const filled = (commands: string): string =>
  COPIED.reduce((text, [placeholder, command]) => text.replace(placeholder, () => command), commands);
