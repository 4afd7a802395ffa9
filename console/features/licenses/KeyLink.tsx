import { AnchorLink } from '../../ui/links.tsx';
import { useListState } from '../../ui/table/list-place.ts';
import { keyText } from './license-words.ts';

interface Props {
  id: number;
  licenseKey: string;
}

/** A link to a license by its key, truncated to one line with the full text in a tooltip. */
export function KeyLink({ id, licenseKey }: Props) {
  const text = keyText({ id, license_key: licenseKey });
  const state = useListState();
  return (
    <AnchorLink
      to="/licenses/$id"
      params={{ id: String(id) }}
      state={state}
      title={text}
      ff="monospace"
      size="sm"
      fw={600}
      truncate
      display="block"
      maw="30ch"
    >
      {text}
    </AnchorLink>
  );
}
