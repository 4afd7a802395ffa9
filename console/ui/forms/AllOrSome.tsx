import { Checkbox, Fieldset, Stack, Text } from '@mantine/core';
import { type ReactNode, useId, useRef } from 'react';

interface GroupProps {
  legend: string;
  children: ReactNode;
  error?: ReactNode;
}

/** A group of fields with one error. */
export function FieldGroup({ legend, children, error }: GroupProps) {
  const errorId = useId();
  return (
    <Fieldset legend={legend} aria-describedby={error ? errorId : undefined} data-invalid={Boolean(error)}>
      <Stack gap="sm">
        {children}
        {error && (
          <Text id={errorId} size="xs" c="var(--mantine-color-error)">
            {error}
          </Text>
        )}
      </Stack>
    </Fieldset>
  );
}

interface Props<Value> extends Omit<GroupProps, 'children'> {
  /** The label of the checkbox for all. */
  all: string;
  /** Null for all. */
  chosen: readonly Value[] | null;
  onChange: (chosen: Value[] | null) => void;
  /** The fields that choose some. */
  children: (chosen: readonly Value[]) => ReactNode;
}

/** Chooses all or some. What was chosen comes back after a change of mind. */
export function AllOrSome<Value>({ all, chosen, onChange, children, ...group }: Props<Value>) {
  const last = useRef<Value[]>([]);
  const change = (isAll: boolean) => {
    if (chosen !== null) last.current = [...chosen];
    onChange(isAll ? null : last.current);
  };
  return (
    <FieldGroup {...group}>
      <Checkbox
        label={all}
        checked={chosen === null}
        onChange={(event) => change(event.currentTarget.checked)}
      />
      {chosen !== null && children(chosen)}
    </FieldGroup>
  );
}
