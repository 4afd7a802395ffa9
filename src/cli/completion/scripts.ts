import type { Place, Value } from './places.ts';

// Each script stores the command that the words before the cursor name in `at`, and offers what may follow it.

/** Puts a word in single quotes, for bash and zsh. */
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
const patternOf = (places: readonly Place[]): string =>
  places.flatMap(({ path }) => (path === '' ? [] : [quoted(path)])).join(' | ');

export function bash(places: readonly Place[]): string {
  // Without a reply, bash completes paths.
  const replies = (value: Value): string =>
    typeof value !== 'string'
      ? `words=${quoted(value.join(' '))}`
      : value === 'folder'
        ? 'compopt -o dirnames +o default 2>/dev/null; return 0'
        : value === 'file'
          ? 'return 0'
          : 'compopt +o default 2>/dev/null; return 0';
  const blocks = places.map(({ path, commands, flags, argument }) => {
    const names = [...commands, ...flags].map(({ name }) => name);
    const valued = flags.filter(({ value }) => value !== 'none');
    const byReply = Object.entries(Object.groupBy(valued, ({ value }) => replies(value)));
    const cases = byReply.map(
      ([reply, some = []]) => `${some.map(({ name }) => name).join(' | ')}) ${reply} ;;`,
    );
    return `    ${quoted(path)})
      case $prev in
${cases.map((one) => `        ${one}\n`).join('')}        *) words=${quoted([...names, ...(Array.isArray(argument) ? argument : [])].join(' '))}${argument === 'file' ? '; [[ $cur == -* ]] || return 0' : ''} ;;
      esac ;;`;
  });
  return `# Completion for bash. Load it with: source <(latchkey completion bash)
_latchkey() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]} at='' word words=''
  COMPREPLY=()
  # bash makes three words of --flag=value.
  if [[ $cur == = ]]; then cur=''; elif [[ $prev == = ]]; then prev=\${COMP_WORDS[COMP_CWORD-2]}; fi
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$at $word" in
      ${patternOf(places)}) at="$at $word" ;;
    esac
  done
  case $at in
${blocks.join('\n')}
  esac
  compopt +o default 2>/dev/null
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
complete -o default -F _latchkey latchkey
`;
}

export function zsh(places: readonly Place[]): string {
  const action = (value: Value): string =>
    typeof value !== 'string'
      ? `(${value.join(' ')})`
      : ({ file: '_files', folder: '_files -/', text: ' ', none: ' ' } as const)[value];
  const clean = (text: string): string => text.replace(/[[\]\\:]/g, '\\$&');
  const blocks = places.map(({ path, commands, flags, argument }) => {
    const specs = flags.map(({ name, meaning, value, isRepeated }) =>
      quoted(
        `${isRepeated ? '*' : ''}${name}${value === 'none' ? '' : '='}[${clean(meaning)}]${value === 'none' ? '' : `:value:${action(value)}`}`,
      ),
    );
    if (commands.length > 0)
      specs.push(
        quoted(
          `1:command:((${commands.map(({ name, meaning }) => `${name}\\:"${clean(meaning)}"`).join(' ')}))`,
        ),
      );
    else if (argument !== 'none') specs.push(quoted(`*:argument:${action(argument)}`));
    return `    ${quoted(path)}) _arguments ${specs.join(' ')} ;;`;
  });
  return `#compdef latchkey
# Completion for zsh. Load it with: source <(latchkey completion zsh)
_latchkey() {
  local at='' word
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "$at $word" in
      ${patternOf(places)}) at="$at $word"; shift words; (( CURRENT-- )) ;;
      *) break ;;
    esac
  done
  case $at in
${blocks.join('\n')}
  esac
}
if [[ $funcstack[1] == _latchkey ]]; then _latchkey "$@"; else compdef _latchkey latchkey; fi
`;
}

export function fish(places: readonly Place[]): string {
  const inFish = (text: string): string => `'${text.replace(/[\\']/g, '\\$&')}'`;
  const values = (value: Value): string =>
    typeof value !== 'string'
      ? ` -x -a ${inFish(value.join(' '))}`
      : (
          { file: ' -r -F', folder: " -x -a '(__fish_complete_directories)'", text: ' -x', none: '' } as const
        )[value];
  const lines = places.flatMap(({ path, commands, flags, argument }) => {
    const begin = `complete -c latchkey -n ${inFish(`__latchkey_at ${inFish(path)}`)}`;
    return [
      ...commands.map(({ name, meaning }) => `${begin} -a ${name} -d ${inFish(meaning)}`),
      ...flags.map(
        ({ name, meaning, value }) => `${begin} -l ${name.slice(2)}${values(value)} -d ${inFish(meaning)}`,
      ),
      ...(argument === 'file' ? [`${begin} -F`] : []),
      ...(Array.isArray(argument) ? [`${begin} -a ${inFish(argument.join(' '))}`] : []),
    ];
  });
  return `# Completion for fish. Save it as ~/.config/fish/completions/latchkey.fish
function __latchkey_at
    set -l at ''
    set -l words (commandline -opc)
    for word in $words[2..]
        switch "$at $word"
            case ${places.flatMap(({ path }) => (path === '' ? [] : [inFish(path)])).join(' ')}
                set at "$at $word"
            case '*'
                break
        end
    end
    test "$at" = "$argv"
end
complete -c latchkey -f
${lines.join('\n')}
`;
}
