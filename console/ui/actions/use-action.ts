import { type MutateOptions, type UseMutationOptions, useMutation } from '@tanstack/react-query';
import { useRef } from 'react';

/**
 * `useMutation` for an action of the user. While it runs, the same action does not start again: a second call gets the
 * result of the first.
 */
export function useAction<Data, Variables = void, Context = unknown>(
  options: UseMutationOptions<Data, Error, Variables, Context>,
) {
  const mutation = useMutation(options);
  const running = useRef(new Map<string, Promise<Data>>());
  type Callbacks = MutateOptions<Data, Error, Variables, Context>;
  const mutateAsync = (variables: Variables, callbacks?: Callbacks): Promise<Data> => {
    const what = JSON.stringify(variables) ?? '';
    const earlier = running.current.get(what);
    if (earlier) return earlier;
    const sent = mutation.mutateAsync(variables, callbacks).finally(() => running.current.delete(what));
    running.current.set(what, sent);
    return sent;
  };
  /** Like `mutateAsync`, but never rejects: errors go to `onError` and `error`. */
  const mutate = (variables: Variables, callbacks?: Callbacks): void =>
    void mutateAsync(variables, callbacks).catch(() => {});
  return { ...mutation, mutate, mutateAsync };
}
