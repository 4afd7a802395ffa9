import { useTranslation } from 'react-i18next';
import { AnchorLink } from './links.tsx';

/** The page of each kind of record, if there is one. */
const ADDRESSES = {
  api_key: () => '/api-keys',
  event_endpoint: (id) => `/events/${id}`,
  generator: () => '/generators',
  license: (id) => `/licenses/${id}`,
  master_key: null,
  release: null,
  signing_key: null,
  software: (id) => `/software/${id}`,
  user: () => '/users',
} satisfies Record<string, ((id: number) => string) | null>;

interface Props {
  type: keyof typeof ADDRESSES;
  /** Null for several records, or for the only one of its kind. */
  id: number | null;
  name?: string | null;
  /** The software whose page shows a release. */
  softwareId?: number | null;
}

/** The kind and name of a changed record, with a link. The record may be deleted. */
export function SubjectLink({ type, id, name, softwareId = null }: Props) {
  const { t } = useTranslation('audit');
  const kind = t(`subject.${type}`);
  if (id === null) return <span>{type === 'master_key' || type === 'signing_key' ? kind : t('many')}</span>;
  const text = `${kind} ${name || id}`;
  const address = softwareId === null ? ADDRESSES[type]?.(id) : ADDRESSES.software(softwareId);
  if (!address) return <span>{text}</span>;
  return (
    <AnchorLink to={address as string} size="sm">
      {text}
    </AnchorLink>
  );
}
