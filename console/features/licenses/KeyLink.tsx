import { AnchorLink } from '../../ui/links.tsx';
import { keyText } from './license-words.ts';

interface Props {
  id: number;
  licenseKey: string;
}

/** A license by its key, on one line: a very long one is cut, and whole where it is pointed at. */
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
