import { Alert, Button, Code, Group, Stack, Text } from '@mantine/core';
import { Check, Download } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { CopyButton } from '../../ui/actions/CopyButton.tsx';
import { saveText } from '../../ui/forms/save.ts';
import { ButtonLink } from '../../ui/links.tsx';
import { QrCode } from '../../ui/QrCode.tsx';
import { Section } from '../../ui/Section.tsx';
import { Time } from '../../ui/Time.tsx';
import type { Leased as LeasedAnswer, OfflineText } from './queries.ts';

/** The width of the code in pixels. The QR code of a lease has over 100 modules on each side. */
const CODE_SIZE = 460;

interface NextProps {
  licenseId: number;
  onNext: () => void;
}

function Next({ licenseId, onNext }: NextProps) {
  const { t } = useTranslation('offline');
  return (
    <Group>
      <Button variant="default" onClick={onNext}>
        {t('result.next')}
      </Button>
      <ButtonLink to="/licenses/$id" params={{ id: String(licenseId) }} variant="subtle">
        {t('result.license')}
      </ButtonLink>
    </Group>
  );
}

/** The lease for the device: as a QR code, a text and a file. */
export function Leased({ leased, onNext }: { leased: LeasedAnswer; onNext: () => void }) {
  const { t } = useTranslation('offline');
  const { lease, lease_expires_at, activation } = leased;
  return (
    <Section
      title={t('result.activated')}
      description={
        <>
          {t('result.until')} <Time value={lease_expires_at} />. {t('result.bring')}
        </>
      }
    >
      <Stack>
        <QrCode value={lease} label={t('result.code')} size={CODE_SIZE} />
        <Code block tabIndex={0} mah={140} style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
          {lease}
        </Code>
        <Group>
          <Button
            leftSection={<Download size={16} />}
            onClick={() => saveText(`lease-${activation.id}.lic`, `${lease}\n`)}
          >
            {t('result.save')}
          </Button>
          <CopyButton value={lease} label={t('result.copy')} withText />
        </Group>
        <Text size="sm" c="dimmed">
          {t('result.again')}
        </Text>
        <Next licenseId={activation.license_id} onNext={onNext} />
      </Stack>
    </Section>
  );
}

interface EndedProps {
  activation: NonNullable<OfflineText['activation']>;
  onNext: () => void;
}

/** The seat of a device is free. */
export function Ended({ activation, onNext }: EndedProps) {
  const { t } = useTranslation('offline');
  return (
    <Stack>
      <Alert color="verdigris" variant="light" icon={<Check />} title={t('result.ended')} role="status">
        {t('result.endedHint')}
      </Alert>
      <Next licenseId={activation.license_id} onNext={onNext} />
    </Stack>
  );
}
