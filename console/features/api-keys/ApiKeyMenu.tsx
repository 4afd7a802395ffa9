import { Menu } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { Ban, Pencil, RefreshCw, ScrollText } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { ActionsMenu } from '../../ui/actions/ActionsMenu.tsx';
import { useDeletion } from '../../ui/feedback/use-deletion.ts';
import { formatRelative } from '../../ui/format.ts';
import { type ApiKey, makesEndpoints, stateOf, useRevokeApiKey } from './queries.ts';

interface Props {
  apiKey: ApiKey;
  onEdit: (apiKey: ApiKey) => void;
  onRotate: (apiKey: ApiKey) => void;
}

/** The actions of an API key, and what was done with it. */
export function ApiKeyMenu({ apiKey, onEdit, onRotate }: Props) {
  const { t } = useTranslation('apiKeys');
  const ask = useDeletion();
  const revoke = useRevokeApiKey();
  const navigate = useNavigate();
  const state = stateOf(apiKey);
  const name = apiKey.description || t('untitled', { id: apiKey.id });
  const lastUse =
    apiKey.last_access_at === null
      ? t('revoke.unused')
      : t('revoke.used', { time: formatRelative(apiKey.last_access_at) });
  const endpoints = makesEndpoints(apiKey) ? [t('revoke.endpoints')] : [];
  const onRevoke = () =>
    ask({
      title: t('revoke.title', { name }),
      body: [t('revoke.body', { ending: apiKey.key_ending }), lastUse, ...endpoints].join(' '),
      action: t('revoke.submit'),
      // `mutate` would drop its callbacks if the revoked key leaves the list.
      run: () => revoke.mutateAsync(apiKey.id),
      done: t('revoke.done'),
    });
  return (
    <ActionsMenu isInRow label={t('actionsOf', { name })} isBusy={revoke.isPending} maxWidth={300}>
      {state !== 'revoked' && (
        <>
          <Menu.Item
            leftSection={<Pencil size={16} />}
            disabled={apiKey.is_of_settings}
            onClick={() => onEdit(apiKey)}
          >
            {t('edit.action')}
          </Menu.Item>
          {apiKey.is_of_settings && <Menu.Label>{t('edit.ofSettings')}</Menu.Label>}
        </>
      )}
      <Menu.Item
        leftSection={<ScrollText size={16} />}
        onClick={() => void navigate({ to: '/audit', search: { api_key_id: apiKey.id } })}
      >
        {t('nav.audit', { ns: 'shell' })}
      </Menu.Item>
      {(state === 'active' || state === 'ending') && !apiKey.is_replaced && (
        <Menu.Item leftSection={<RefreshCw size={16} />} onClick={() => onRotate(apiKey)}>
          {t('rotate.action')}
        </Menu.Item>
      )}
      {state !== 'revoked' && (
        <Menu.Item leftSection={<Ban size={16} />} color="red.8" onClick={onRevoke}>
          {t('revoke.action')}
        </Menu.Item>
      )}
    </ActionsMenu>
  );
}
