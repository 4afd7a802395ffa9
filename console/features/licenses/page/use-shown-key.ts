import { useState } from 'react';
import { useSession } from '../../../app/session.ts';
import { useAction } from '../../../ui/actions/use-action.ts';
import { errorToast } from '../../../ui/feedback/toasts.tsx';
import { keyText } from '../license-words.ts';
import { type License, revealKey } from '../queries.ts';

/** Returns the key of a license as the page shows it: whole, masked, or revealed. The server records each reveal. */
export function useShownKey(license: License | undefined) {
  const { can } = useSession();
  /** The revealed key, with the masked key at that time: the key may have been changed since. */
  const [revealed, setRevealed] = useState<{ of: string; key: string } | null>(null);
  const reveal = useAction({
    mutationFn: revealKey,
    onSuccess: (key) => license && setRevealed({ of: license.license_key, key }),
    onError: errorToast,
  });
  if (!license) return null;
  const isRevealed = revealed?.of === license.license_key;
  const toggle = () => (isRevealed ? setRevealed(null) : reveal.mutate(license.id));
  return {
    text: isRevealed ? revealed.key : keyText(license),
    isWhole: isRevealed || !license.is_masked,
    isRevealed,
    isRevealing: reveal.isPending,
    /** Reveals or hides the whole key; null if the key is not masked, or the role may not reveal it. */
    toggle: license.is_masked && can('licenses.reveal') ? toggle : null,
  };
}
