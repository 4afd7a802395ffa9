import type { InputWrapperProps } from '@mantine/core';

/** Props of a field whose hint stands below it, so that fields side by side stay level. */
export const HINT_BELOW = {
  inputWrapperOrder: ['label', 'input', 'description', 'error'],
} satisfies Pick<InputWrapperProps, 'inputWrapperOrder'>;
