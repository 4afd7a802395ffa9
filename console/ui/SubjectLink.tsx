import { useTranslation } from 'react-i18next';
import { AnchorLink } from './links.tsx';

/** Where a record of each kind is shown, if it has a page of its own or a list. */
const ADDRESSES = {
  api_key: () => '/api-keys',
  generator: () => '/generators',
  license: (id) => `/licenses/${id}`,
  master_key: null,
  release: null,
  software: (id) => `/software/${id}`,
  user: () => '/users',
} satisfies Record<string, ((id: number) => string) | null>;

interface Props {
  type: keyof typeof ADDRESSES;
  /** Null where it is many, or the only one. */
  id: number | null;
  /** What it is called, where that is known. */
  name?: string | null;
  /** Whose page shows a release. */
  softwareId?: number | null;
}

/** A record that was changed: what it is, and a link to it. It may be gone. */
export function SubjectLink({ type, id, name, softwareId = null }: Props) {
  const { t } = useTranslation('audit');
  const kind = t(`subject.${type}`);
  if (id === null) return <span>{type === 'master_key' ? kind : t('many')}</span>;
  const text = `${kind} ${name || id}`;
  const address = softwareId === null ? ADDRESSES[type]?.(id) : ADDRESSES.software(softwareId);
  if (!address) return <span>{text}</span>;
  return (
    <AnchorLink to={address as string} size="sm">
      {text}
    </AnchorLink>
  );
}
