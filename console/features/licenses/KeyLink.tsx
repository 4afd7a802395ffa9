import { AnchorLink } from '../../ui/links.tsx';
import { keyText } from './license-words.ts';

interface Props {
  id: number;
  licenseKey: string;
}

/** A link to a license by its key, truncated to one line with the full text in a tooltip. */
export function KeyLink({ id, licenseKey }: Props) {
  const text = keyText({ id, license_key: licenseKey });
  return (
    <AnchorLink
      to="/licenses/$id"
      params={{ id: String(id) }}
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
