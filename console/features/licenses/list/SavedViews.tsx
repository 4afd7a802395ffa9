import { Button, Menu } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import { Bookmark, Check, Trash2 } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { doneToast } from '../../../ui/feedback/toasts.tsx';
import { lazyPart } from '../../../ui/loading/lazy-part.tsx';
import { type LicensesSearch, NO_FILTER } from '../licenses-search.ts';

const SaveView = lazyPart(async () => (await import('./SaveView.tsx')).SaveView);

interface View {
  name: string;
  search: Partial<LicensesSearch>;
}
type Filters = Omit<LicensesSearch, 'before' | 'create'>;

const textOf = (search: object): string =>
  JSON.stringify(
    Object.entries(search)
      .filter(([, value]) => value !== undefined)
      .sort(([one], [other]) => (one < other ? -1 : 1)),
  );

interface Props {
  search: LicensesSearch;
  onChange: (changes: Partial<LicensesSearch>) => void;
}

/** Chooses and saves views: named combinations of a search, filters and an order, stored in this browser. */
export function SavedViews({ search, onChange }: Props) {
  const { t } = useTranslation('licenses');
  const [views, setViews] = useLocalStorage<View[]>({
    key: 'latchkey-views-licenses',
    defaultValue: [],
    getInitialValueInEffect: false,
  });
  /** The typed name; null while the dialog is closed, `undefined` until it was opened. */
  const [name, setName] = useState<string | null>();
  const { before: _, create: __, ...filters }: LicensesSearch = search;
  const shown = views.find((view) => textOf(view.search) === textOf(filters));
  const isPlain = textOf(filters) === textOf({});
  const show = (wanted: Partial<Filters>) => onChange({ ...NO_FILTER, sort: undefined, ...wanted });
  const save = (event: FormEvent) => {
    event.preventDefault();
    const chosen = name?.trim() ?? '';
    if (chosen === '') return;
    const others = views.filter((view) => view.name !== chosen);
    const ordered = [...others, { name: chosen, search: filters }].sort((one, other) =>
      one.name.localeCompare(other.name),
    );
    setViews(ordered);
    setName(null);
    doneToast(t('view.saved', { name: chosen }));
  };
  const askName = async () => {
    if (await SaveView.ready()) setName(shown?.name ?? '');
  };
  const remove = (view: View) => {
    setViews(views.filter((one) => one.name !== view.name));
    doneToast(t('view.removed', { name: view.name }));
  };
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <Button variant="default" leftSection={<Bookmark size={16} />}>
            {shown?.name ?? t('view.title')}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item rightSection={isPlain && <Check size={16} />} onClick={() => show({})}>
            {t('view.all')}
          </Menu.Item>
          {views.map((view) => (
            <Menu.Item
              key={view.name}
              rightSection={view === shown && <Check size={16} />}
              onClick={() => show(view.search)}
            >
              {view.name}
            </Menu.Item>
          ))}
          <Menu.Divider />
          {views.length === 0 && <Menu.Label>{t('view.none')}</Menu.Label>}
          <Menu.Item disabled={isPlain} onClick={() => void askName()}>
            {t('view.save')}
          </Menu.Item>
          {shown && (
            <Menu.Item color="red.8" leftSection={<Trash2 size={16} />} onClick={() => remove(shown)}>
              {t('view.remove', { name: shown.name })}
            </Menu.Item>
          )}
        </Menu.Dropdown>
      </Menu>
      {name !== undefined && (
        <SaveView name={name} onChange={setName} onSubmit={save} onClose={() => setName(null)} />
      )}
    </>
  );
}
