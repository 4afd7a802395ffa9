import { Radio, Stack, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type Role, useSession } from '../../app/session.ts';
import { fieldErrors } from '../../client/errors.ts';
import { useAction } from '../../ui/actions/use-action.ts';
import { doneToast } from '../../ui/feedback/toasts.tsx';
import { useSaveMerged } from '../../ui/forms/conflicts.tsx';
import { FormDialog } from '../../ui/forms/FormDialog.tsx';
import { changesOf, formValues } from '../../ui/forms/form-values.ts';
import type { Link } from './LinkDialog.tsx';
import { createUser, loadUser, ROLES, refreshUsers, type User, updateUser } from './queries.ts';

interface Props {
  /** Null to create a user. */
  user: User | null;
  onClose: () => void;
  /** Called with the invitation link of a new user. */
  onLink: (link: Link) => void;
}

export function UserForm({ user, onClose, onLink }: Props) {
  const { t } = useTranslation('users');
  const { user: own } = useSession();
  const [role, setRole] = useState<Role>(user?.role ?? 'support');
  // The list may fetch a later version while the form is open, so keep the one that was opened.
  const [opened] = useState(user);
  const saveMerged = useSaveMerged<User>({
    kind: 'user',
    record: opened,
    load: () => loadUser(opened?.id ?? 0),
    send: (changes: object, etag) => updateUser({ id: opened?.id ?? 0, ...changes }, etag),
  });
  const sent = useAction({
    mutationFn: async (values: { name: string; email: string; role: Role }) => {
      // Sending an unchanged role would end sessions.
      if (opened) return saveMerged(changesOf(opened, values));
      const { user, invitation } = await createUser(values);
      onLink({ kind: 'invitation', name: values.name, ...invitation });
      return user;
    },
    onSuccess: async (saved) => {
      if (!saved) return;
      await refreshUsers();
      onClose();
      if (user) doneToast(t('saved', { name: user.name }));
    },
  });
  const errors = fieldErrors(sent.error);
  return (
    <FormDialog
      onClose={onClose}
      title={user ? t('editTitle', { name: user.name }) : t('create')}
      action={user ? t('save') : t('createAction')}
      sent={sent}
      fields={{ name: null, email: null, role: null }}
      onSubmit={(event) => {
        const { name = '', email = '' } = formValues(event);
        sent.mutate({ name, email, role });
      }}
    >
      <TextInput
        label={t('column.name')}
        name="name"
        autoComplete="off"
        defaultValue={user?.name ?? ''}
        maxLength={100}
        required
        withAsterisk={false}
        error={errors.name}
        data-autofocus
      />
      <TextInput
        label={t('email')}
        name="email"
        type="email"
        autoComplete="off"
        defaultValue={user?.email ?? ''}
        required
        withAsterisk={false}
        error={errors.email}
      />
      <Radio.Group
        label={t('column.role')}
        description={user?.id === own.id ? t('ownRole') : user ? t('roleChanges') : undefined}
        value={role}
        onChange={(value) => setRole(value as Role)}
        error={errors.role}
      >
        <Stack gap="xs" mt="xs">
          {ROLES.map((one) => (
            <Radio
              key={one}
              value={one}
              label={t(`role.${one}`, { ns: 'shell' })}
              description={t(`role.${one}`)}
            />
          ))}
        </Stack>
      </Radio.Group>
    </FormDialog>
  );
}
