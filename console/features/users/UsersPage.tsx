import { Button, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { TFunction } from 'i18next';
import { UserPlus } from 'lucide-react';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useSession } from '../../app/session.ts';
import { EmptyState } from '../../ui/feedback/EmptyState.tsx';
import { useAddressAction } from '../../ui/forms/use-address-action.ts';
import { PageHeader } from '../../ui/PageHeader.tsx';
import { Section } from '../../ui/Section.tsx';
import { StatusBadge } from '../../ui/StatusBadge.tsx';
import { Time } from '../../ui/Time.tsx';
import { type Column, listColumns } from '../../ui/table/columns.ts';
import { DataTable } from '../../ui/table/DataTable.tsx';
import { type Link, LinkDialog } from './LinkDialog.tsx';
import { ROLES, type User, usersQuery } from './queries.ts';
import { UserActions } from './UserActions.tsx';
import { UserForm } from './UserForm.tsx';

const route = getRouteApi('/shell/users');

export function UsersPage() {
  const { t } = useTranslation('users');
  const { user: own, can } = useSession();
  const query = useQuery(usersQuery);
  const [edited, setEdited] = useState<User | 'new' | null>(null);
  const [link, setLink] = useState<Link | null>(null);
  useAddressAction(route.useSearch(), 'create', can('users.manage'), () => setEdited('new'));
  const columns = useMemo(() => columnsOf(t, own.id, { onEdit: setEdited, onLink: setLink }), [t, own.id]);
  return (
    <>
      <PageHeader
        title={t('title')}
        description={t('description')}
        actions={
          can('users.manage') && (
            <Button leftSection={<UserPlus size={16} />} onClick={() => setEdited('new')}>
              {t('create')}
            </Button>
          )
        }
      />
      <DataTable
        name="users"
        label={t('title')}
        columns={columns}
        query={query}
        rowName={({ name }) => name}
        empty={<EmptyState title={t('empty')} />}
      />
      {/* Render after the list, so that the layout does not shift. */}
      {query.data && (
        <Stack mt="lg">
          <Roles />
        </Stack>
      )}
      {edited && (
        <UserForm
          key={edited === 'new' ? 'new' : edited.id}
          user={edited === 'new' ? null : edited}
          onClose={() => setEdited(null)}
          onLink={setLink}
        />
      )}
      {link && <LinkDialog link={link} onClose={() => setLink(null)} />}
    </>
  );
}

interface Handlers {
  onEdit: (user: User) => void;
  onLink: (link: Link) => void;
}

const columnsOf = (t: TFunction<'users'>, own: number, handlers: Handlers): Column<User>[] =>
  listColumns((id) => t(`column.${id}`), {
    name: {
      cell: ({ id, name, email }) => (
        <Stack gap={0}>
          <Group gap={4}>
            <Text size="sm" fw={600} span style={{ overflowWrap: 'anywhere' }}>
              {name}
            </Text>
            {id === own && <StatusBadge tone="info">{t('you')}</StatusBadge>}
          </Group>
          <Text size="xs" c="dimmed" span style={{ overflowWrap: 'anywhere' }}>
            {email}
          </Text>
        </Stack>
      ),
    },
    role: { cell: ({ role }) => t(`role.${role}`, { ns: 'shell' }) },
    status: { cell: (user) => <Status user={user} /> },
    totp: {
      cell: ({ totp }) => (
        <StatusBadge tone={totp ? 'good' : 'neutral'}>{t(totp ? 'on' : 'off')}</StatusBadge>
      ),
    },
    seen: { cell: ({ last_seen_at }) => <Time value={last_seen_at} isRelative /> },
    created: { cell: ({ created_at }) => <Time value={created_at} />, isHidden: true },
    actions: {
      align: 'end',
      cell: (user) => <UserActions user={user} isOwn={user.id === own} {...handlers} />,
    },
  });

function Status({ user }: { user: User }) {
  const { t } = useTranslation('users');
  if (user.disabled_at !== null) return <StatusBadge tone="bad">{t('status.disabled')}</StatusBadge>;
  if (!user.has_password) return <StatusBadge tone="warning">{t('status.invited')}</StatusBadge>;
  return <StatusBadge tone="good">{t('status.active')}</StatusBadge>;
}

/** Explains the roles. */
function Roles() {
  const { t } = useTranslation('users');
  return (
    <Section title={t('roles')}>
      <Stack component="dl" gap="xs" m={0}>
        {ROLES.map((role) => (
          <div key={role}>
            <Text component="dt" size="sm" fw={600}>
              {t(`role.${role}`, { ns: 'shell' })}
            </Text>
            <Text component="dd" size="sm" c="dimmed" m={0} maw="70ch">
              {t(`role.${role}`)}
            </Text>
          </div>
        ))}
      </Stack>
    </Section>
  );
}
