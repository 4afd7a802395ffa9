import { Button, Checkbox, Group, Text, TextInput } from '@mantine/core';
import { type KeyboardEvent, type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { announce } from '../feedback/announce.tsx';
import { AllOrSome } from '../forms/AllOrSome.tsx';
import styles from './ProductChoice.module.css';
import { isNumber, useProducts } from './queries.ts';

interface Props {
  legend: string;
  /** Null for all products. */
  chosen: readonly number[] | null;
  onChange: (chosen: number[] | null) => void;
  error?: ReactNode;
}

/** Show a search field above this number of products. */
const FEW = 10;
/** The most checkboxes shown at once; users find the others by search. */
const SHOWN = 100;

/** Chooses all products or some: known ones by checkbox, any other by ID. */
export function ProductChoice({ onChange, ...rest }: Props) {
  const { t } = useTranslation('products');
  return (
    <AllOrSome all={t('all')} onChange={onChange} {...rest}>
      {(chosen) => <Some chosen={chosen} onChange={onChange} />}
    </AllOrSome>
  );
}

interface SomeProps {
  chosen: readonly number[];
  onChange: (chosen: number[]) => void;
}

function Some({ chosen, onChange }: SomeProps) {
  const { t } = useTranslation('products');
  const { items, isMore, hasFailed, labelOf } = useProducts();
  const [text, setText] = useState('');
  const [isWrong, setWrong] = useState(false);
  /** Products that the user has added keep their checkboxes after they are unchecked. */
  const [added, setAdded] = useState<readonly number[]>(chosen);
  const [before] = useState(() => new Set(chosen));
  const wasChosen = (id: number) => before.has(id);
  const all = [...new Set([...items.map(({ id }) => id), ...added, ...chosen])].sort(
    (one, other) => one - other,
  );
  const isLong = items.length > FEW;
  const needle = isLong ? text.trim().toLowerCase() : '';
  // Put the products that were selected at the start first.
  const ordered = isLong ? [...all.filter(wasChosen), ...all.filter((id) => !wasChosen(id))] : all;
  const found = ordered.filter((id) => labelOf(id).toLowerCase().includes(needle));

  const set = (ids: readonly number[], isChosen: boolean) => {
    setAdded([...new Set([...added, ...ids])]);
    const rest = chosen.filter((one) => !ids.includes(one));
    onChange(isChosen ? [...rest, ...ids].sort((one, other) => one - other) : rest);
  };
  // A paste may contain several IDs.
  const typed = text.split(/[\s,;]+/).filter((one) => one !== '');
  const add = () => {
    if (typed.length === 0) return;
    const ids = typed.every(isNumber) ? typed.map(Number) : isLong && found.length === 1 ? found : [];
    setWrong(ids.length === 0);
    if (ids.length === 0) return;
    set(ids, true);
    setText('');
    announce(t('added', { label: ids.map(labelOf).join(', ') }));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter') return;
    // Do not submit the form.
    event.preventDefault();
    add();
  };
  const field = (
    <TextInput
      label={t(isLong ? 'find' : 'other')}
      value={text}
      inputMode={isLong ? undefined : 'numeric'}
      autoComplete="off"
      error={isWrong && t('notANumber')}
      onChange={(event) => {
        setText(event.currentTarget.value);
        setWrong(false);
      }}
      onKeyDown={onKeyDown}
      // Leaving the field adds a typed ID, but not a search text.
      onBlur={() => typed.every(isNumber) && (!isLong || found.length === 0) && add()}
      inputContainer={(input) => (
        <Group gap="xs" wrap="nowrap">
          <div className={styles.input}>{input}</div>
          <Button variant="default" onMouseDown={(event) => event.preventDefault()} onClick={add}>
            {t('add')}
          </Button>
        </Group>
      )}
    />
  );
  return (
    <>
      {isLong && field}
      {found.length > 0 && (
        <div className={styles.list}>
          {found.slice(0, SHOWN).map((id) => (
            <Checkbox
              key={id}
              label={labelOf(id)}
              checked={chosen.includes(id)}
              onChange={(event) => set([id], event.currentTarget.checked)}
            />
          ))}
        </div>
      )}
      {!isLong && field}
      <Text size="xs" c="dimmed">
        {all.length === 0
          ? t('none')
          : found.length === 0
            ? t('noMatch')
            : t('chosen', { count: chosen.length })}{' '}
        {hasFailed ? t('failed') : (isMore || found.length > SHOWN) && t('more')}
      </Text>
    </>
  );
}
