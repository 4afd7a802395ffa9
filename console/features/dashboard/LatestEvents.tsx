import { Group, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useSession } from '../../app/session.ts';
import { actorText } from '../../ui/actor-text.ts';
import { AnchorLink } from '../../ui/links.tsx';
import { SubjectLink } from '../../ui/SubjectLink.tsx';
import { Time } from '../../ui/Time.tsx';
import styles from './Dashboard.module.css';
import { Panel } from './Panel.tsx';
import type { Dashboard } from './queries.ts';

/** The latest audit entries. */
export function LatestEvents({ events }: { events: NonNullable<Dashboard['events']> }) {
  const { t } = useTranslation('dashboard');
  const { t: audit } = useTranslation('audit');
  const { can } = useSession();
  const all = can('audit.read') && (
    <AnchorLink to="/audit" size="sm">
      {t('events.all')}
    </AnchorLink>
  );
  return (
    <Panel title={t('events.title')} aside={all}>
      {events.length === 0 ? (
        <Text size="sm" c="dimmed">
          {t('events.none')}
        </Text>
      ) : (
        <ul className={styles.list}>
          {events.map(({ by, ...event }) => (
            <Group component="li" key={event.id} justify="space-between" gap="xs">
              <div>
                <Text size="sm">{audit(`action.${event.action}`)}</Text>
                <Text size="xs" c="dimmed" component="div">
                  <SubjectLink {...event} />
                  {by && ` · ${actorText(audit, by)}`}
                </Text>
              </div>
              <Text size="xs" c="dimmed" component="div">
                <Time value={event.at} isRelative />
              </Text>
            </Group>
          ))}
        </ul>
      )}
    </Panel>
  );
}
