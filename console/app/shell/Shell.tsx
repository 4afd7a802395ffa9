import { Anchor, Container } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { Outlet, useRouterState } from '@tanstack/react-router';
import { Suspense, useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { ConflictProvider } from '../../ui/forms/conflicts.tsx';
import { useKeptFocus } from '../keyboard/keep-focus.ts';
import { useKeyboard } from '../keyboard/keyboard.ts';
import { LazyKeyboardHelp } from '../keyboard/LazyKeyboardHelp.tsx';
import { LazyPalette } from '../keyboard/LazyPalette.tsx';
import { useSession } from '../session.ts';
import { Header } from './Header.tsx';
import { Navigation } from './Navigation.tsx';
import { NotAllowed } from './NotAllowed.tsx';
import { Notices } from './Notices.tsx';
import { navEntries } from './nav-entries.ts';
import { PasswordNeeded } from './PasswordNeeded.tsx';
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
  // Read the matches, as the outlet does. `useMatchRoute` updates later, so a refused page would render and fetch its data.
  const shown = useRouterState({ select: ({ matches }) => String(matches.at(-1)?.fullPath) });
  const refused = navEntries.find(
    ({ to, permission }) => !can(permission) && (shown === to || shown.startsWith(`${to}/`)),
  );
  useKeyboard(permissions);
  useKeptFocus();
  return (
    <div className={styles.shell}>
      <Anchor href="#main" className={styles.skip}>
        {t('skip')}
      </Anchor>
      <header className={styles.header}>
        <Header isNavigationOpen={isOpen} onToggleNavigation={toggle} />
      </header>
      <nav className={styles.navbar} data-open={isOpen || undefined} aria-label={t('navigation')}>
        <Navigation />
      </nav>
      <main id="main" tabIndex={-1} className={styles.main}>
        <Container size={1760} p={0}>
          <Notices />
          <ConflictProvider>
            <Suspense>{refused ? <NotAllowed key={refused.to} entry={refused} /> : <Outlet />}</Suspense>
          </ConflictProvider>
        </Container>
      </main>
      <LazyPalette />
      <LazyKeyboardHelp />
      <PasswordNeeded />
      <SessionEnded />
    </div>
  );
}
