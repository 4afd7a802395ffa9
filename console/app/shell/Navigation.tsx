import { Stack } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { useSession } from '../session.ts';
import { navEntries } from './nav-entries.ts';
import styles from './Shell.module.css';

export function Navigation() {
  const { t } = useTranslation('shell');
  const { can } = useSession();
  return (
    <Stack component="ul" gap={2} m={0} p={0} style={{ listStyle: 'none' }}>
      {navEntries
        .filter(({ permission }) => can(permission))
        .map(({ to, label, icon: Icon, Badge }) => (
          <li key={to}>
            <Link to={to} className={styles.link} activeOptions={{ exact: to === '/', includeSearch: false }}>
              <Icon size={18} strokeWidth={1.75} />
              {t(`nav.${label}`)}
              {Badge && <Badge />}
            </Link>
          </li>
        ))}
    </Stack>
  );
}
