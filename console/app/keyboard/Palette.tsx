import { useDebouncedValue } from '@mantine/hooks';
import { Spotlight } from '@mantine/spotlight';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { KeyRound, LoaderCircle, Package, Search } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { answer, api } from '../../client/api.ts';
import { EXACT_TEXT } from '../../ui/forms/exact-text.ts';
import { useProducts } from '../../ui/products/queries.ts';
import { type Entry, usePaletteEntries } from './palette-entries.tsx';
import { paletteStore } from './palette-store.ts';

/** The fewest characters that start a license search. */
const ENOUGH = 3;
/** Milliseconds to wait after the last key. */
const PAUSE_MS = 200;
/** The most licenses found. */
const MOST = 6;
/** The most software that is searched. */
const SOFTWARE_MOST = 200;
/** The id of the result list. */
const RESULTS = 'palette-results';

/** The command palette: goes to pages, runs actions, finds software and searches licenses. */
export function Palette() {
  const { t } = useTranslation('shell');
  const [query, setQuery] = useState('');
  const text = query.trim();
  const words = text.toLowerCase().split(/\s+/);
  const isMatch = ({ label, named }: Entry) =>
    words.every((word) => label.toLowerCase().includes(word)) &&
    (named === undefined || (text !== '' && words.some((word) => named.toLowerCase().includes(word))));
  const software = useSoftware(text);
  const groups = [...usePaletteEntries(), { label: t('nav.software'), entries: software.entries }]
    .map(({ label, entries }) => ({ label, entries: entries.filter(isMatch) }))
    .filter(({ entries }) => entries.length > 0);
  const { licenses, isSearching, searchNow } = useLicenses(text);
  const first = groups[0]?.entries[0] ?? (isSearching || software.isLoading ? undefined : licenses[0]);
  const runWhenFound = useFirstSelected(text, first?.id);
  return (
    <Spotlight.Root
      store={paletteStore}
      query={query}
      onQueryChange={setQuery}
      // `LazyPalette` handles the shortcut, which must work before this code is loaded.
      shortcut={null}
      attributes={{ content: { 'aria-label': t('palette.label') } }}
      scrollable
      maxHeight={420}
    >
      <Spotlight.Search
        placeholder={t('palette.placeholder')}
        aria-label={t('palette.placeholder')}
        leftSection={<Search size={18} />}
        {...EXACT_TEXT}
        onKeyDown={({ key }) => {
          if (key !== 'Enter' || first) return;
          searchNow();
          runWhenFound();
        }}
      />
      <Spotlight.ActionsList id={RESULTS} aria-label={t('palette.results')}>
        {groups.map(({ label, entries }) => (
          <Spotlight.ActionsGroup key={label} label={label}>
            {entries.map(({ id, label, icon, run }) => (
              <Spotlight.Action key={id} label={label} leftSection={icon} onClick={run} />
            ))}
          </Spotlight.ActionsGroup>
        ))}
        {licenses.length > 0 && (
          <Spotlight.ActionsGroup label={t('nav.licenses')}>
            {licenses.map(({ id, label, description, icon, run }) => (
              <Spotlight.Action
                key={id}
                label={label}
                description={description}
                leftSection={icon}
                onClick={run}
              />
            ))}
          </Spotlight.ActionsGroup>
        )}
        {groups.length + licenses.length === 0 && (
          <Spotlight.Empty>
            {isSearching ? (
              <LoaderCircle size={20} aria-label={t('palette.searching')} />
            ) : (
              t('palette.nothing')
            )}
          </Spotlight.Empty>
        )}
      </Spotlight.ActionsList>
    </Spotlight.Root>
  );
}

const deselect = () =>
  document.querySelector(`#${RESULTS} [data-selected]`)?.removeAttribute('data-selected');

/**
 * Selects the first result, so that Enter runs it. Spotlight itself would keep the first result of the previous search.
 * @param first the id of the first result; undefined while the search runs, so that nothing is selected
 * @returns a function to call when the user presses Enter before there is a result: the first result then runs once it
 *   arrives
 */
function useFirstSelected(text: string, first: string | undefined): () => void {
  /** The search text at the time Enter was pressed. */
  const entered = useRef<string | null>(null);
  useEffect(() => {
    if (entered.current !== text) entered.current = null;
    if (text === '') return;
    deselect();
    if (first === undefined) return;
    const action = document.querySelector<HTMLElement>(`#${RESULTS} [data-action]`);
    action?.setAttribute('data-selected', 'true');
    paletteStore.updateState((state) => ({ ...state, selected: 0 }));
    if (entered.current !== null) action?.click();
    entered.current = null;
  }, [text, first]);
  return () => {
    // Spotlight selects again what is still shown of the previous search, and would run it.
    deselect();
    entered.current = text;
  };
}

/** All software, once the user has typed enough. */
function useSoftware(text: string): { entries: Entry[]; isLoading: boolean } {
  const router = useRouter();
  const { data, isLoading } = useQuery({
    queryKey: ['software', 'list', 'palette'],
    queryFn: ({ signal }) =>
      answer(api.GET('/software', { params: { query: { limit: SOFTWARE_MOST } }, signal })),
    enabled: text.length >= ENOUGH,
    staleTime: 60_000,
    retry: false,
  });
  const found = text.length < ENOUGH ? [] : (data?.items ?? []);
  const entries = found.map(({ id, name }) => ({
    id: `software-${id}`,
    label: name,
    icon: <Package size={18} />,
    run: () => router.navigate({ to: `/software/${id}` as '/software' }),
  }));
  return { entries, isLoading };
}

/** The licenses that match the text, and a link to the list with all of them. */
function useLicenses(text: string): { licenses: Entry[]; isSearching: boolean; searchNow: () => void } {
  const { t } = useTranslation('shell');
  const router = useRouter();
  const { nameOf } = useProducts();
  const [settled] = useDebouncedValue(text, PAUSE_MS);
  const [urgent, setUrgent] = useState('');
  const search = urgent === text ? text : settled;
  const isEnough = search.length >= ENOUGH && text.length >= ENOUGH;
  const { data, isFetching } = useQuery({
    queryKey: ['licenses', 'palette', search],
    queryFn: ({ signal }) =>
      answer(api.GET('/licenses', { params: { query: { search, limit: MOST } }, signal })),
    enabled: isEnough,
    placeholderData: keepPreviousData,
    retry: false,
  });
  const isSearching = text.length >= ENOUGH && (search !== text || isFetching);
  const searchNow = () => setUrgent(text);
  if (!isEnough) return { licenses: [], isSearching, searchNow };
  const icon = <KeyRound size={18} />;
  const found = (data?.items ?? []).map(({ id, license_key, product_id, order_id, customer_email }) => ({
    id: `license-${id}`,
    label: license_key,
    description: [
      product_id !== null && (nameOf(product_id) ?? t('palette.product', { id: product_id })),
      order_id !== null && t('palette.order', { id: order_id }),
      customer_email,
    ]
      .filter(Boolean)
      .join(' · '),
    icon,
    run: () => router.navigate({ to: `/licenses/${id}` as '/licenses' }),
  }));
  const all = {
    id: 'licenses-all',
    label: t('palette.all', { text: search }),
    icon: <Search size={18} />,
    run: () => router.navigate({ to: '/licenses', search: { search } as never }),
  };
  return { licenses: [...found, all], isSearching, searchNow };
}
