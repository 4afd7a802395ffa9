import { Menu } from '@mantine/core';
import { Link2, Pencil, ShieldOff, UserCheck, UserX } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { ActionsMenu } from '../../ui/actions/ActionsMenu.tsx';
import { useAction } from '../../ui/actions/use-action.ts';
import { useConfirm } from '../../ui/feedback/confirm.tsx';
import { doneToast, errorToast } from '../../ui/feedback/toasts.tsx';
import type { Link } from './LinkDialog.tsx';
import { inviteUser, refreshUsers, removeTotp, type User, updateUser } from './queries.ts';

interface Props {
  user: User;
  /** Whether this is the signed-in user, who is signed out when these sessions end. */
  isOwn: boolean;
  onEdit: (user: User) => void;
  onLink: (link: Link) => void;
}

export function UserActions({ user, isOwn, onEdit, onLink }: Props) {
  const { t } = useTranslation('users');
  const confirm = useConfirm();
  const { name } = user;
  const isDisabled = user.disabled_at !== null;
  const kind = user.has_password ? 'reset' : 'invitation';
  const done = (text: string) => async () => {
    await refreshUsers();
    doneToast(text);
  };
  const switched = useAction({
    mutationFn: (changes: Parameters<typeof updateUser>[0]) => updateUser(changes),
    onSuccess: done(t(isDisabled ? 'enabled' : 'disabled', { name })),
    onError: errorToast,
  });
  const invited = useAction({
    mutationFn: inviteUser,
    onSuccess: (invitation) => onLink({ kind, name, ...invitation }),
    onError: errorToast,
  });
  const totpRemoved = useAction({
    mutationFn: removeTotp,
    onSuccess: done(t('totpRemoved', { name })),
    onError: errorToast,
  });
  const ask = async (what: 'disable' | 'reset' | 'removeTotp', run: () => void) => {
    const title = t(`${what}.title`, { name });
    if (await confirm({ title, body: t(`${what}.body`), action: t(`${what}.action`), isDangerous: true }))
      run();
  };
  const invite = () =>
    kind === 'reset' ? void ask('reset', () => invited.mutate(user.id)) : invited.mutate(user.id);
  return (
    <ActionsMenu isInRow label={t('actionsOf', { name })}>
      <Menu.Item leftSection={<Pencil size={16} />} onClick={() => onEdit(user)}>
        {t('edit')}
      </Menu.Item>
      {!isDisabled && (
        <Menu.Item leftSection={<Link2 size={16} />} onClick={invite}>
          {t(kind === 'reset' ? 'reset.action' : 'inviteAgain')}
        </Menu.Item>
      )}
      {user.totp && (
        <Menu.Item
          leftSection={<ShieldOff size={16} />}
          onClick={() => void ask('removeTotp', () => totpRemoved.mutate(user.id))}
        >
          {t('removeTotp.action')}
        </Menu.Item>
      )}
      {isDisabled && (
        <Menu.Item
          leftSection={<UserCheck size={16} />}
          onClick={() => switched.mutate({ id: user.id, disabled: false })}
        >
          {t('enable')}
        </Menu.Item>
      )}
      {!isDisabled && !isOwn && (
        <Menu.Item
          leftSection={<UserX size={16} />}
          onClick={() => void ask('disable', () => switched.mutate({ id: user.id, disabled: true }))}
        >
          {t('disable.action')}
        </Menu.Item>
      )}
    </ActionsMenu>
  );
}
