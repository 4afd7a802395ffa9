import { Button, Group, Menu } from '@mantine/core';
import { Pencil, Trash2 } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { useSession } from '../../app/session.ts';
import { ActionsMenu } from '../../ui/actions/ActionsMenu.tsx';
import { useDeletion } from '../../ui/feedback/use-deletion.ts';
import { type Generator, useDeleteGenerator } from './queries.ts';

export interface GeneratorActs {
  onGenerate: (generator: Generator) => void;
  onEdit: (generator: Generator) => void;
}

/** The actions of a generator that the role allows. */
export function GeneratorActions({ generator, ...acts }: GeneratorActs & { generator: Generator }) {
  const { t } = useTranslation('generators');
  const { can } = useSession();
  const ask = useDeletion();
  const { mutateAsync } = useDeleteGenerator();
  const { name } = generator;
  const onDelete = () =>
    ask({
      title: t('deleteTitle', { name }),
      body: t('delete.body'),
      action: t('delete.confirm'),
      run: () => mutateAsync(generator),
      done: t('deleted', { name }),
    });
  const hasMenu = can('generators.write') || can('generators.delete');
  return (
    <Group gap={4} wrap="nowrap" justify="flex-end">
      {can('licenses.generate') && (
        <Button
          size="compact-sm"
          variant="light"
          aria-label={t('generate.of', { name })}
          onClick={() => acts.onGenerate(generator)}
        >
          {t('generate.action')}
        </Button>
      )}
      {hasMenu && (
        <ActionsMenu isInRow label={t('actionsOf', { name })}>
          {can('generators.write') && (
            <Menu.Item leftSection={<Pencil size={16} />} onClick={() => acts.onEdit(generator)}>
              {t('edit')}
            </Menu.Item>
          )}
          {can('generators.delete') && (
            <Menu.Item color="red.8" leftSection={<Trash2 size={16} />} onClick={() => void onDelete()}>
              {t('delete.action')}
            </Menu.Item>
          )}
        </ActionsMenu>
      )}
    </Group>
  );
}
