import { Anchor, type AnchorProps, Button, type ButtonProps, Group } from '@mantine/core';
import { createLink } from '@tanstack/react-router';
import { ChevronLeft } from 'lucide-react';
import type { ComponentPropsWithRef } from 'react';

type Plain<Props> = Props & Omit<ComponentPropsWithRef<'a'>, keyof Props | 'href'>;

/** A link of the router that looks like one: `<AnchorLink to="/licenses/$id" params={{ id }}>`. */
export const AnchorLink = createLink((props: Plain<AnchorProps>) => <Anchor {...props} />);

/** A link of the router that looks like a button. */
export const ButtonLink = createLink((props: Plain<ButtonProps>) => <Button component="a" {...props} />);

/** The way back to a list, above the heading of what is in it. */
export const BackLink = createLink(({ children, ...rest }: Plain<AnchorProps>) => (
  <Anchor size="sm" w="fit-content" {...rest}>
    <Group gap={4}>
      <ChevronLeft size={16} aria-hidden />
      {children}
    </Group>
  </Anchor>
));
