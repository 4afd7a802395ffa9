import { Anchor, type AnchorProps, Button, type ButtonProps, Group } from '@mantine/core';
import { createLink } from '@tanstack/react-router';
import { ChevronLeft } from 'lucide-react';
import type { ComponentPropsWithRef } from 'react';

type Plain<Props> = Props & Omit<ComponentPropsWithRef<'a'>, keyof Props | 'href'>;

/** A router link: `<AnchorLink to="/licenses/$id" params={{ id }}>`. */
export const AnchorLink = createLink((props: Plain<AnchorProps>) => <Anchor {...props} />);

/** A router link that looks like a button. */
export const ButtonLink = createLink((props: Plain<ButtonProps>) => <Button component="a" {...props} />);

/** A link back to the list, above the heading. */
export const BackLink = createLink(({ children, ...rest }: Plain<AnchorProps>) => (
  <Anchor size="sm" w="fit-content" {...rest}>
    <Group gap={4}>
      <ChevronLeft size={16} />
      {children}
    </Group>
  </Anchor>
));
