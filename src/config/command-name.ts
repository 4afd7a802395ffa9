/** Returns how the reader of a message runs this program. npm tells a program which npm command started it. */
export function commandName(env: Readonly<Record<string, string | undefined>>): string {
  const { npm_command: command, npm_package_name: project, npm_lifecycle_event: script } = env;
  if (command === 'exec' && env.npm_lifecycle_script?.includes('latchkey')) return 'npx latchkey';
  const isClone = project === 'latchkey' && ['start', 'latchkey'].includes(String(script));
  return isClone ? 'npm run -s latchkey --' : 'latchkey';
}
