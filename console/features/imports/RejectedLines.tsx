import { Table, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { serverSentences } from '../../client/server-text.ts';
import { formatNumber } from '../../ui/format.ts';

interface Props {
  rejected: { line: number; reason: string }[];
  /** How many there are, of which these are the first. */
  total: number;
}

/** What is wrong with which line of a file. */
export function RejectedLines({ rejected, total }: Props) {
  const { t } = useTranslation('imports');
  const fields = t('parameter', { returnObjects: true });
  return (
    <>
      <Table.ScrollContainer minWidth={280} mah={360} scrollAreaProps={{ viewportProps: { tabIndex: 0 } }}>
        <Table>
          <Table.Caption style={{ captionSide: 'top', textAlign: 'start' }}>
            {t('rejected.caption')}
          </Table.Caption>
          <Table.Thead>
            <Table.Tr>
              <Table.Th scope="col">{t('rejected.line')}</Table.Th>
              <Table.Th scope="col">{t('rejected.reason')}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {rejected.map(({ line, reason }) => (
              <Table.Tr key={line}>
                <Table.Td>{formatNumber(line)}</Table.Td>
                <Table.Td>{serverSentences(reason, fields)}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      {total > rejected.length && (
        <Text size="sm" c="dimmed">
          {t('rejected.more', {
            count: total - rejected.length,
            number: formatNumber(total - rejected.length),
          })}
        </Text>
      )}
    </>
  );
}
