import { Anchor, AppShell, Container } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { Outlet, useRouterState } from '@tanstack/react-router';
import { Suspense, useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import '@mantine/spotlight/styles.css';
import { ConflictProvider } from '../../ui/forms/conflicts.tsx';
import { KeyboardHelp } from '../keyboard/KeyboardHelp.tsx';
import { useKeptFocus } from '../keyboard/keep-focus.ts';
import { useKeyboard } from '../keyboard/keyboard.ts';
import { Palette } from '../keyboard/Palette.tsx';
import { useSession } from '../session.ts';
import { Header } from './Header.tsx';
import { Navigation } from './Navigation.tsx';
import { NotAllowed } from './NotAllowed.tsx';
import { Notices } from './Notices.tsx';
import { navEntries } from './nav-entries.ts';
import { PasswordDialog } from './PasswordDialog.tsx';
import { SessionEnded } from './SessionEnded.tsx';
import styles from './Shell.module.css';

/** The layout of every page behind the sign-in: header, navigation and keyboard shortcuts. */
export function Shell() {
  const { t } = useTranslation('shell');
  const [isOpen, { toggle, close }] = useDisclosure();
  const path = useRouterState({ select: ({ location }) => location.pathname });
  // biome-ignore lint/correctness/useExhaustiveDependencies: close the navigation on every page change
  useEffect(close, [path]);
  const { permissions, can } = useSession();
  // As the outlet: `useMatchRoute` changes later, so a page that is refused would fetch its data.
  const shown = useRouterState({ select: ({ matches }) => String(matches.at(-1)?.fullPath) });
  const refused = navEntries.find(
    ({ to, permission }) => !can(permission) && (shown === to || shown.startsWith(`${to}/`)),
  );
  useKeyboard(permissions);
  useKeptFocus();
  return (
    <AppShell
      header={{ height: 56 }}
      navbar={{ width: 232, breakpoint: 'sm', collapsed: { mobile: !isOpen } }}
      padding={{ base: 'md', sm: 'xl' }}
    >
      <Anchor href="#main" className={styles.skip}>
        {t('skip')}
      </Anchor>
      <AppShell.Header className={styles.header}>
        <Header isNavigationOpen={isOpen} onToggleNavigation={toggle} />
      </AppShell.Header>
      <AppShell.Navbar className={styles.navbar} data-open={isOpen || undefined} aria-label={t('navigation')}>
        <Navigation />
      </AppShell.Navbar>
      <AppShell.Main id="main" tabIndex={-1} className={styles.main}>
        <Container size={1760} p={0}>
          <Notices />
          <ConflictProvider>
            <Suspense>{refused ? <NotAllowed key={refused.to} entry={refused} /> : <Outlet />}</Suspense>
          </ConflictProvider>
        </Container>
      </AppShell.Main>
      <Palette />
      <KeyboardHelp />
      <PasswordDialog />
      <SessionEnded />
    </AppShell>
  );
}
