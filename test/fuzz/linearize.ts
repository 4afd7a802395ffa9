/** Checks whether concurrent answers are those of some sequential order of the requests. */

export type Call =
  | { do: 'activate' }
  | { do: 'reactivate' | 'deactivate' | 'validate'; token: number }
  | { do: 'limit'; limit: number }
  | { do: 'status'; status: number }
  | { do: 'read' };
/** An answered call, with its begin and end on any clock. */
export interface Answered {
  call: Call;
  began: number;
  ended: number;
  /** The outcome: status and code, or 200 and the number of active activations. */
  outcome: string;
}

/**
 * The state of one license: which of the earlier tokens are active, and how many activations were made since.
 */
interface State {
  valid: readonly boolean[];
  made: number;
  limit: number;
  status: number;
}

const count = ({ valid, made }: State): number => made + valid.filter(Boolean).length;

/** Returns the answer that the contract requires for a call, and the next state. */
function apply(state: State, call: Call): [outcome: string, next: State] {
  const refused = (outcome: string): [string, State] => [outcome, state];
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

/**
 * Returns whether some order explains the answers: no call comes before a call that had ended when it began.
 */
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
      const [outcome, next] = apply(state, one.call);
      return (
        outcome === one.outcome &&
        search(
          next,
          left.filter((other) => other !== one),
        )
      );
    });
  }
  return search({ ...first, made: 0, status: 3 }, calls);
}
