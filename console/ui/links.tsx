import {
  ActionIcon,
  type ActionIconProps,
  Anchor,
  type AnchorProps,
  Button,
  type ButtonProps,
  Group,
} from '@mantine/core';
import { createLink } from '@tanstack/react-router';
import { ChevronLeft } from 'lucide-react';
import type { ComponentPropsWithRef } from 'react';

type Plain<Props> = Props & Omit<ComponentPropsWithRef<'a'>, keyof Props | 'href'>;

/** A router link: `<AnchorLink to="/licenses/$id" params={{ id }}>`. */
export const AnchorLink = createLink((props: Plain<AnchorProps>) => <Anchor {...props} />);

/** A router link that looks like a button. */
export const ButtonLink = createLink((props: Plain<ButtonProps>) => <Button component="a" {...props} />);

/** A router link that looks like an icon button. It needs an `aria-label`. */
export const IconLink = createLink((props: Plain<ActionIconProps>) => (
  <ActionIcon component="a" variant="subtle" color="gray" {...props} />
));

/** A link back to the list, above the heading. */
export const BackLink = createLink(({ children, ...rest }: Plain<AnchorProps>) => (
  <Anchor size="sm" w="fit-content" {...rest}>
    <Group gap={4}>
      <ChevronLeft size={16} />
      {children}
    </Group>
  </Anchor>
));
