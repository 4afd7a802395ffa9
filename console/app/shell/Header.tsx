import { Box, Burger, Group, Kbd, Text, UnstyledButton, VisuallyHidden } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { Search } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { BASE_PATH } from '../../client/base.ts';
import { modKey } from '../keyboard/keyboard.ts';
import { preloadPalette } from '../keyboard/LazyPalette.tsx';
import { openPalette } from '../keyboard/palette-store.ts';
import styles from './Shell.module.css';
import { UserMenu } from './UserMenu.tsx';

interface Props {
  isNavigationOpen: boolean;
  onToggleNavigation: () => void;
}

export function Header({ isNavigationOpen, onToggleNavigation }: Props) {
  const { t } = useTranslation('shell');
  return (
    <Group h="100%" px={{ base: 'sm', sm: 'md' }} justify="space-between" wrap="nowrap" gap="sm">
      <Group gap="xs" wrap="nowrap">
        <Burger
          opened={isNavigationOpen}
          onClick={onToggleNavigation}
          hiddenFrom="sm"
          size="sm"
          aria-label={t(isNavigationOpen ? 'closeNavigation' : 'openNavigation')}
          aria-expanded={isNavigationOpen}
        />
        <Link to="/" className={styles.brand}>
          <img src={`${BASE_PATH}/console/icon.svg`} width={28} height={28} alt="" />
          <span>Latchkey</span>
        </Link>
      </Group>
      <Group gap="xs" wrap="nowrap">
        <UnstyledButton
          className={styles.search}
          onClick={openPalette}
          onPointerEnter={preloadPalette}
          onFocus={preloadPalette}
        >
          <Search size={16} />
          <Text span size="sm" visibleFrom="sm">
            {t('search')}
          </Text>
          <VisuallyHidden hiddenFrom="sm">{t('search')}</VisuallyHidden>
          <Box visibleFrom="sm" ml="auto" aria-hidden>
            <Kbd size="xs">{modKey}</Kbd> <Kbd size="xs">K</Kbd>
          </Box>
        </UnstyledButton>
        <UserMenu />
      </Group>
    </Group>
  );
}
