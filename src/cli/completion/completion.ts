import { type AddCommand, define } from '../define.ts';
import { Failure } from '../failure.ts';
import { placesOf } from './places.ts';

const SHELLS = ['bash', 'zsh', 'fish'] as const;

/** Prints a script that makes a shell complete commands, flags, names and paths. The script does not start the program. */
export const completion: AddCommand = (program, run) =>
  define({
    name: 'completion',
    description: 'Print a script that completes command lines in a shell',
    argument: ['<shell>', 'Shell that the script is for', SHELLS],
    settings: [],
    json: false,
    examples: {
      'bash, in ~/.bashrc': 'source <(latchkey completion bash)',
      'zsh, in ~/.zshrc, after compinit': 'source <(latchkey completion zsh)',
      'fish, once': 'latchkey completion fish > ~/.config/fish/completions/latchkey.fish',
    },
    async action(_, shell) {
      const known = SHELLS.find((one) => one === shell);
      if (!known) throw new Failure(2, 'invalid_value', `<shell> must be one of: ${SHELLS.join(', ')}.`);
      const scripts = await import('./scripts.ts');
      run.io.stdout.write(scripts[known](placesOf(program)));
    },
  })(program, run);
