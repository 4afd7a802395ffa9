import type { UseFormReturnType } from '@mantine/form';
import type { FormEvent } from 'react';
import { fieldErrors } from '../../client/errors.ts';

/**
 * Returns the submit handler of a form. It passes valid values to `send`; if the server refuses them, it shows the reasons
 * at the fields. `FormDialog` shows the other errors.
 */
export const submitting = <Values extends object>(
  form: UseFormReturnType<Values>,
  send: (values: Values) => Promise<void>,
): ((event?: FormEvent<HTMLFormElement>) => void) =>
  form.onSubmit(async (values) => {
    try {
      await send(values);
    } catch (error) {
      form.setErrors(fieldErrors(error));
    }
  });
