import { Alert, Button, Stack, Text } from '@mantine/core';
import { FilterX } from 'lucide-react';
import { useTranslation } from 'react-i18next';

/** Shown instead of a list whose address has invalid filters: an unfiltered list would be misleading. */
export function WrongFilters({ wrong, onClear }: { wrong: readonly string[]; onClear: () => void }) {
  const { t } = useTranslation();
  return (
    <Alert color="orange" variant="light" role="alert" icon={<FilterX />}>
      <Stack gap="xs" align="flex-start">
        {wrong.map((one) => (
          <Text key={one} size="sm" style={{ overflowWrap: 'anywhere' }}>
            {t('wrongFilter', { filter: one })}
          </Text>
        ))}
        <Button size="xs" variant="default" onClick={onClear}>
          {t('clear')}
        </Button>
      </Stack>
    </Alert>
  );
}
