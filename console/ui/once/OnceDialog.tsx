import { Modal, type ModalProps } from '@mantine/core';
import { useBlocker } from '@tanstack/react-router';

interface Props extends ModalProps {
  /** Whether the dialog shows what is shown only once, or waits for it. Otherwise it is like any other dialog. */
  isLocked?: boolean;
}

/**
 * A dialog for what is shown only once. Only its own button closes it: Escape, a click outside and leaving the page, as with
 * Back, would lose a secret that the server has already stored.
 */
export function OnceDialog({ isLocked = true, ...props }: Props) {
  useBlocker({ shouldBlockFn: () => true, disabled: !props.opened || !isLocked });
  return (
    <Modal closeOnClickOutside={!isLocked} closeOnEscape={!isLocked} withCloseButton={!isLocked} {...props} />
  );
}
