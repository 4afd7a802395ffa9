import { Anchor, type AnchorProps, Button, type ButtonProps } from '@mantine/core';
import { createLink } from '@tanstack/react-router';
import type { ComponentPropsWithRef } from 'react';

type Plain<Props> = Props & Omit<ComponentPropsWithRef<'a'>, keyof Props | 'href'>;

/** A link of the router that looks like one: `<AnchorLink to="/licenses/$id" params={{ id }}>`. */
export const AnchorLink = createLink((props: Plain<AnchorProps>) => <Anchor {...props} />);

/** A link of the router that looks like a button. */
export const ButtonLink = createLink((props: Plain<ButtonProps>) => <Button component="a" {...props} />);
