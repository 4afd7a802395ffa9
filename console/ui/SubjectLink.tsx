import { useTranslation } from 'react-i18next';
import { type Kind, WITHOUT_ID } from './change-words.ts';
import { AnchorLink } from './links.tsx';

/** The address of a record's page, for each kind of record that has a page. */
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
} satisfies Record<Kind, ((id: number) => string) | null>;

interface Props {
  subject_type: Kind;
  /** Null if the entry covers several records, or if there is only one record of this kind. */
  subject_id: number | null;
  subject_name: string | null;
  /** For a release: the software whose page shows the release. */
  software_id: number | null;
}

/** The kind and the name of a changed record, with a link to the record. The record may have been deleted since. */
export function SubjectLink({ subject_type: type, subject_id: id, subject_name: name, software_id }: Props) {
  const { t } = useTranslation('audit');
  const kind = t(`subject.${type}`);
  if (id === null) return <span>{WITHOUT_ID.includes(type) ? kind : t('many')}</span>;
  const text = `${kind} ${name || id}`;
  const address = software_id === null ? ADDRESSES[type]?.(id) : ADDRESSES.software(software_id);
  if (!address) return <span>{text}</span>;
  return (
    <AnchorLink to={address as string} size="sm">
      {text}
    </AnchorLink>
  );
}
