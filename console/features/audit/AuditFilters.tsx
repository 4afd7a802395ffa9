import { Button, Pill, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import i18next from 'i18next';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { en } from '../../messages/en/index.ts';
import { FilterBar } from '../../ui/FilterBar.tsx';
import { MultiSelect, Select } from '../../ui/forms/choices.tsx';
import { useTyped } from '../../ui/forms/use-typed.ts';
import { type AuditAction, type AuditSearch, auditUsersQuery } from './queries.ts';
import { subjectOf } from './subject.ts';

/** All actions, taken from the keys of the texts. */
const actionsOf = (language: string): AuditAction[] =>
  Object.entries((i18next.getResourceBundle(language, 'audit') as typeof en.audit).action).flatMap(
    ([noun, verbs]) => Object.keys(verbs).map((verb) => `${noun}.${verb}` as AuditAction),
  );
const VIAS = ['console', 'api', 'cli', 'system'] as const;

/** The width of a filter. On a phone two filters share a row. */
const half = (width: number) => ({ base: 'calc(50% - 5px)', xs: width });

/** The filters of the audit trail, kept in the address. */
export function AuditFilters({ search }: { search: AuditSearch }) {
  const { t, i18n } = useTranslation('audit');
  const actions = actionsOf(i18n.language);
  const navigate = useNavigate();
  const go = (changes: AuditSearch) =>
    navigate({ to: '/audit', search: { ...search, before: undefined, ...changes } });
  const { data: users } = useQuery(auditUsersQuery);
  const { user_id } = search;
  // A link can filter by a user who is not in the list: show the ID then.
  const isNamed = users?.items.some(({ id }) => id === user_id) ?? true;
  const { before: _, ...filters } = search;
  const isFiltered = Object.values(filters).some((value) => value !== undefined);
  return (
    <FilterBar label={t('filter')}>
      <MultiSelect
        label={t('column.what')}
        placeholder={search.action ? undefined : t('filters.anyAction')}
        data={actions.map((value) => ({ value, label: t(`action.${value}`) }))}
        value={search.action?.split(',').filter((one) => actions.includes(one as AuditAction)) ?? []}
        onChange={(chosen) => go({ action: chosen.join(',') || undefined })}
        searchable
        clearable
        clearButtonProps={{ 'aria-label': t('filters.clear') }}
        w={{ base: '100%', xs: 180 }}
      />
      <Select
        label={t('column.who')}
        placeholder={t('filters.anybody')}
        data={users?.items.map(({ id, name }) => ({ value: String(id), label: name })) ?? []}
        value={user_id === undefined ? null : String(user_id)}
        onChange={(id) => go({ user_id: id === null ? undefined : Number(id) })}
        searchable
        clearable
        clearButtonProps={{ 'aria-label': t('filters.clear') }}
        w={half(150)}
      />
      <Select
        label={t('column.via')}
        placeholder={t('filters.anyVia')}
        data={VIAS.map((value) => ({ value, label: t(`via.${value}`) }))}
        value={search.via ?? null}
        onChange={(via) => go({ via: (via as AuditSearch['via']) ?? undefined })}
        clearable
        clearButtonProps={{ 'aria-label': t('filters.clear') }}
        w={half(140)}
      />
      <SubjectField
        value={search.subject ?? ''}
        onChange={(subject) => go({ subject: subject || undefined })}
      />
      <DayField
        label={t('filters.from')}
        value={search.from ?? ''}
        onChange={(from) => go({ from: from || undefined })}
      />
      <DayField
        label={t('filters.to')}
        value={search.to ?? ''}
        onChange={(to) => go({ to: to || undefined })}
      />
      {user_id !== undefined && !isNamed && (
        <RemovablePill
          text={t('filters.user', { id: user_id })}
          onRemove={() => go({ user_id: undefined })}
        />
      )}
      {search.api_key_id !== undefined && (
        <RemovablePill
          text={t('filters.apiKey', { id: search.api_key_id })}
          onRemove={() => go({ api_key_id: undefined })}
        />
      )}
      {isFiltered && (
        <Button variant="subtle" onClick={() => navigate({ to: '/audit', search: {} })}>
          {t('filters.clear')}
        </Button>
      )}
    </FilterBar>
  );
}

interface DayProps {
  label: string;
  value: string;
  onChange: (value: string) => void;
}

/** A field for a day. A year that is being typed is a date, too: the day goes into the address after a pause. */
function DayField({ label, value, onChange }: DayProps) {
  const [day, type] = useTyped(value, onChange);
  return (
    <TextInput type="date" label={label} value={day} onChange={(event) => type(event.currentTarget.value)} />
  );
}

/** A field for a record. Its text goes into the address after a pause in typing, if it names a record. */
function SubjectField({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  const { t } = useTranslation('audit');
  const isRecord = (typed: string) => typed === '' || subjectOf(typed, t) !== null;
  const [isWrong, setWrong] = useState(!isRecord(value));
  const [text, type] = useTyped(value, (typed) => {
    setWrong(!isRecord(typed));
    if (isRecord(typed)) onChange(typed);
  });
  return (
    <TextInput
      label={t('column.subject')}
      placeholder={t('filters.subjectHelp')}
      data-page-search
      value={text}
      onChange={(event) => type(event.currentTarget.value)}
      error={isWrong && t('filters.subjectFault')}
      w={half(140)}
    />
  );
}

function RemovablePill({ text, onRemove }: { text: string; onRemove: () => void }) {
  const { t } = useTranslation('audit');
  return (
    <Pill
      size="lg"
      withRemoveButton
      onRemove={onRemove}
      removeButtonProps={{
        'aria-label': t('filters.remove', { filter: text }),
        tabIndex: 0,
        'aria-hidden': false,
      }}
    >
      {text}
    </Pill>
  );
}
