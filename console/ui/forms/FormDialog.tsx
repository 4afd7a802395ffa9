import { Button, Drawer, Group, Modal, Stack } from '@mantine/core';
import type { FormEvent, ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { isOfFields } from '../../client/errors.ts';
import { ErrorState } from '../feedback/ErrorState.tsx';
import { reportHalfTyped } from './half-typed.ts';
import { useDiscard } from './use-discard.ts';
import { useRefusedField } from './use-refused-field.ts';

interface Props {
  isOpen?: boolean;
  onClose: () => void;
  title: string;
  children: ReactNode;
  onSubmit: (event: FormEvent<HTMLFormElement>) => void;
  /** The label of the submit button: "Create license". */
  action: string;
  /** The action that sends the form. */
  sent?: { isPending: boolean; error: unknown };
  /** The form values by wire name. Errors of these fields appear at the fields, not in the dialog. */
  fields?: object;
  isDangerous?: boolean;
  /** A drawer instead of a dialog, for long forms. */
  asDrawer?: boolean;
}

/**
 * A form in a dialog or drawer. Closing it or leaving the page with unsaved changes asks first. It stays open until a sent
 * form is answered: the answer may be a secret that is shown once, a refusal, or a page to open.
 */
export function FormDialog({ isOpen = true, onClose, title, children, asDrawer = false, ...rest }: Props) {
  const { t } = useTranslation();
  const { isPending: isSending = false, error } = rest.sent ?? {};
  const { ref, close } = useDiscard(onClose, { isSending });
  const { note, forget } = useRefusedField(isSending);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    if (isSending || reportHalfTyped(event.currentTarget)) return event.preventDefault();
    note(event);
    rest.onSubmit(event);
  };
  const Overlay = asDrawer ? Drawer : Modal;
  return (
    <Overlay opened={isOpen} onClose={close} title={title} closeButtonProps={{ disabled: isSending }}>
      <form ref={ref} onSubmit={submit} onInput={forget} noValidate>
        <Stack>
          {children}
          {error != null && !isOfFields(error, rest.fields ?? {}) && <ErrorState error={error} />}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" disabled={isSending} onClick={onClose}>
              {t('cancel')}
            </Button>
            <Button type="submit" loading={isSending} color={rest.isDangerous ? 'red.8' : undefined}>
              {rest.action}
            </Button>
          </Group>
        </Stack>
      </form>
    </Overlay>
  );
}
