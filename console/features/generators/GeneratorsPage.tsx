import { Button, Code } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { TFunction } from 'i18next';
import { Plus } from 'lucide-react';
import { useEffect, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useSession } from '../../app/session.ts';
import { EmptyState } from '../../ui/feedback/EmptyState.tsx';
import { formatDuration } from '../../ui/format.ts';
import { NumberText } from '../../ui/forms/NumberText.tsx';
import { useAddressAction } from '../../ui/forms/use-address-action.ts';
import { PageHeader } from '../../ui/PageHeader.tsx';
import { Time } from '../../ui/Time.tsx';
import { type Column, listColumns } from '../../ui/table/columns.ts';
import { DataTable } from '../../ui/table/DataTable.tsx';
import { GenerateDialog } from './GenerateDialog.tsx';
import { GeneratorActions, type GeneratorActs } from './GeneratorActions.tsx';
import { GeneratorForm } from './GeneratorForm.tsx';
import { patternOf } from './pattern.ts';
import { type Generator, generatorQuery, generatorsQuery } from './queries.ts';

const route = getRouteApi('/shell/generators');

/** The open dialog; a new `key` resets its state. */
interface Open {
  kind: 'form' | 'generate';
  generator: Generator | null;
  key: number;
}

export function GeneratorsPage() {
  const { t } = useTranslation('generators');
  const { can } = useSession();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const query = useQuery(generatorsQuery({ before: search.before }));
  const [open, setOpen] = useState<Open | null>(null);
  const [isOpen, setIsOpen] = useState(false);
  const show = (kind: Open['kind'], generator: Generator | null) => {
    setOpen((before) => ({ kind, generator, key: (before?.key ?? 0) + 1 }));
    setIsOpen(true);
  };
  useAddressAction(search, 'create', can('generators.write'), () => show('form', null));
  const requested = useQuery(generatorQuery(can('licenses.generate') ? search.generate : undefined));
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is the same at each render
  useEffect(() => {
    if (!requested.data) return;
    show('generate', requested.data);
    void navigate({ search: ({ generate: _, ...rest }) => rest, replace: true });
  }, [requested.data]);
  const acts: GeneratorActs = {
    onGenerate: (generator) => show('generate', generator),
    onEdit: (generator) => show('form', generator),
  };
  const isActing = can('licenses.generate') || can('generators.write') || can('generators.delete');
  // biome-ignore lint/correctness/useExhaustiveDependencies: the actions are the same at each render
  const columns = useMemo(() => columnsOf(t, isActing ? acts : null), [t, isActing]);
  const create = can('generators.write') && (
    <Button leftSection={<Plus size={16} />} onClick={() => show('form', null)}>
      {t('create')}
    </Button>
  );
  const close = () => setIsOpen(false);
  return (
    <>
      <PageHeader
        title={t('title')}
        description={t('description')}
        roleNote={!isActing && t('roleNote')}
        actions={create}
      />
      <DataTable
        name="generators"
        label={t('title')}
        columns={columns}
        query={query}
        empty={
          <EmptyState title={t('empty')} action={create}>
            {t('emptyNext')}
          </EmptyState>
        }
      />
      {open?.kind === 'form' && (
        <GeneratorForm key={open.key} generator={open.generator} isOpen={isOpen} onClose={close} />
      )}
      {open?.kind === 'generate' && open.generator && (
        <GenerateDialog key={open.key} generator={open.generator} isOpen={isOpen} onClose={close} />
      )}
    </>
  );
}

const columnsOf = (t: TFunction<'generators'>, acts: GeneratorActs | null): Column<Generator>[] =>
  listColumns(
    (id) => t(`column.${id}`),
    {
      name: { cell: ({ name }) => name },
      pattern: { cell: (generator) => <Code>{patternOf(generator)}</Code> },
      charset: { cell: ({ charset }) => <Code>{charset}</Code>, isHidden: true },
      limit: {
        align: 'end',
        cell: ({ activations_limit }) =>
          activations_limit === 0 ? t('unlimited') : <NumberText value={activations_limit} />,
      },
      expires: {
        cell: ({ expires_in }) => (expires_in === 0 ? t('forever') : formatDuration(expires_in, 'day')),
      },
      created: { cell: ({ created_at }) => <Time value={created_at} /> },
      actions: {
        align: 'end',
        cell: (generator) => acts && <GeneratorActions generator={generator} {...acts} />,
      },
    },
    acts ? [] : ['actions'],
  );
