import { useForm } from '@mantine/form';
import { useTranslation } from 'react-i18next';
import type { Values } from './api-key-values.ts';

/** The form of an API key; it rejects a key without any access. */
export function useApiKeyForm(initialValues: Values) {
  const { t } = useTranslation(['apiKeys', 'products']);
  return useForm<Values>({
    initialValues,
    validate: {
      endpoints: (chosen, { kind }) =>
        kind === 'some' && chosen.length === 0 ? t('apiKeys:form.chooseOne') : null,
      products: (chosen) => (chosen?.length === 0 ? t('products:chooseOne') : null),
    },
  });
}

export type ApiKeyForm = ReturnType<typeof useApiKeyForm>;
