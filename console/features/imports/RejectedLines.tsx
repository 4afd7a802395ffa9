import { Button, Table, Text } from '@mantine/core';
import { Download } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { errorToast } from '../../ui/feedback/toasts.tsx';
import { formatNumber } from '../../ui/format.ts';
import { saveBlob } from '../../ui/forms/save.ts';
import { rejectedCsv } from './csv-file.ts';
import { faultWords } from './fault-words.ts';
import type { Rejected } from './rejected.ts';
import type { FileColumns } from './use-import.ts';

interface Props {
  rejected: Rejected;
  file: File;
  columns: FileColumns;
  mapping: Readonly<Record<string, string>>;
}

/** Lines shown on the page; the download has all. */
const SHOWN = 100;

/** The first rejected lines with their reasons, and a download of all to correct and import again. */
export function RejectedLines({ rejected, file, columns: { delimiter }, mapping }: Props) {
  const { t } = useTranslation('imports');
  const [isMaking, setMaking] = useState(false);
  const { total } = rejected;
  const shown = Math.min(total, SHOWN);
  const lineOf = (i: number) => {
    const { line, faults } = rejected.at(i);
    return { line, words: faultWords(faults, mapping, t) };
  };
  const download = async () => {
    setMaking(true);
    try {
      const all = (function* () {
        for (let i = 0; i < total; i++) yield lineOf(i);
      })();
      const name = file.name.replace(/\.\w+$/, '');
      const csv = await rejectedCsv(file, delimiter, all, t('rejected.column'));
      saveBlob(t('rejected.fileName', { name }), csv);
    } catch (error) {
      errorToast(error);
    } finally {
      setMaking(false);
    }
  };
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
            {Array.from({ length: shown }, (_, i) => lineOf(i)).map(({ line, words }) => (
              <Table.Tr key={line}>
                <Table.Td>{formatNumber(line)}</Table.Td>
                <Table.Td style={{ overflowWrap: 'anywhere' }}>{words}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      {total > shown && (
        <Text size="sm" c="dimmed">
          {t('rejected.more', {
            count: total - shown,
            number: formatNumber(total - shown),
          })}
        </Text>
      )}
      <div>
        <Button
          variant="default"
          leftSection={<Download size={16} />}
          loading={isMaking}
          onClick={() => void download()}
        >
          {t('rejected.download')}
        </Button>
        <Text size="sm" c="dimmed" mt={4}>
          {t('rejected.downloadHint', { column: t('rejected.column') })}
        </Text>
      </div>
    </>
  );
}
