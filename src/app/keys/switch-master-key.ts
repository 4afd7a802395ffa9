import type { Command } from '../command.ts';

/** The new key seals from now on, in every process that has heard of it. False where no rotation to it is under way. */
export const switchMasterKey: Command<{ to: string }, boolean> = ({ masterKey }, { to }) =>
  masterKey.switch(to);
