import { Button, Group, Stack, Text } from '@mantine/core';
import { fieldErrors } from '../../client/errors.ts';
import { ErrorState } from '../../ui/ErrorState.tsx';
import { formValues } from '../../ui/form-values.ts';
import { CurrentPassword } from './CurrentPassword.tsx';

interface Props {
  sent: { mutate(body: { current_password: string }): void; isPending: boolean; error: unknown };
  description: string;
  /** The button that sends it. */
  action: string;
}

/** Asks for the password before something that an open browser must not be enough for. */
export function PasswordStep({ sent, description, action }: Props) {
  return (
    <form
      onSubmit={(event) => {
        const { current_password = '' } = formValues(event);
        sent.mutate({ current_password });
      }}
    >
      <Stack>
        <Text size="sm">{description}</Text>
        <CurrentPassword error={sent.error} data-autofocus />
        {sent.error != null && Object.keys(fieldErrors(sent.error)).length === 0 && (
          <ErrorState error={sent.error} />
        )}
        <Group justify="flex-end">
          <Button type="submit" loading={sent.isPending}>
            {action}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
