/** Whether answers that clients got at the same time are those of some order of their requests, one after the other. */

export type Call =
  | { do: 'activate' }
  | { do: 'reactivate' | 'deactivate' | 'validate'; token: number }
  | { do: 'limit'; limit: number }
  | { do: 'status'; status: number }
  | { do: 'read' };
/** One that was answered, with when it began and ended, on any clock. */
export interface Answered {
  call: Call;
  began: number;
  ended: number;
  /** What the answer tells: its status and code, and how many activations are valid where it says so. */
  told: string;
}

/** One license: which of the tokens from before are valid, and how many activations are made since. */
interface State {
  valid: readonly boolean[];
  made: number;
  limit: number;
  status: number;
}

const count = ({ valid, made }: State): number => made + valid.filter(Boolean).length;

/** What the contract says of a call: the answer, and what is then. */
function apply(state: State, call: Call): [told: string, next: State] {
  const refused = (told: string): [string, State] => [told, state];
  const accepted = (next: State): [string, State] => [`200 ${count(next)}`, next];
  switch (call.do) {
    case 'read':
      return accepted(state);
    case 'limit':
      return accepted({ ...state, limit: call.limit });
    case 'status':
      return accepted({ ...state, status: call.status });
    case 'validate':
      return state.valid[call.token] ? accepted(state) : refused('404 data_error');
    case 'deactivate':
      if (!state.valid[call.token]) return refused('404 data_error');
      return accepted({ ...state, valid: state.valid.with(call.token, false) });
    default: {
      const token = call.do === 'reactivate' ? call.token : null;
      if (token !== null && state.valid[token]) return refused('404 data_error');
      if (state.status === 5) return refused('405 license_disabled');
      const isFull = state.limit > 0 && count(state) >= state.limit;
      if (isFull) return refused('404 license_activation_limit_reached');
      const next = token === null ? { made: state.made + 1 } : { valid: state.valid.with(token, true) };
      return accepted({ ...state, ...next });
    }
  }
}

/** Searches all orders in which no call comes before one that had ended when it began. */
export function hasOrder(first: { valid: boolean[]; limit: number }, calls: readonly Answered[]): boolean {
  const seen = new Set<string>();
  function search(state: State, left: readonly Answered[]): boolean {
    if (left.length === 0) return true;
    const at = `${JSON.stringify(state)} ${left.map((one) => calls.indexOf(one))}`;
    if (seen.has(at)) return false;
    seen.add(at);
    const firstEnd = Math.min(...left.map(({ ended }) => ended));
    return left.some((one) => {
      if (one.began > firstEnd) return false;
      const [told, next] = apply(state, one.call);
      return (
        told === one.told &&
        search(
          next,
          left.filter((other) => other !== one),
        )
      );
    });
  }
  return search({ ...first, made: 0, status: 3 }, calls);
}
