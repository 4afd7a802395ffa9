import { useForm } from '@mantine/form';
import { useTranslation } from 'react-i18next';
import { licensesChanged } from '../../../app/query-client.ts';
import { useSession } from '../../../app/session.ts';
import { answer, api, ifMatch } from '../../../client/api.ts';
import { fieldErrors } from '../../../client/errors.ts';
import { useAction } from '../../../ui/actions/use-action.ts';
import { useConfirm } from '../../../ui/feedback/confirm.tsx';
import { doneToast } from '../../../ui/feedback/toasts.tsx';
import { useSaveMerged } from '../../../ui/forms/conflicts.tsx';
import { FormDialog } from '../../../ui/forms/FormDialog.tsx';
import { changesOf, valuesFor } from '../../../ui/forms/form-values.ts';
import { TERM_NAMES } from '../../../ui/licenses/license-terms.ts';
import type { License } from '../queries.ts';
import { changedExpiry, EXPIRY_FIELDS, expiryErrors, expiryValuesOf, lacksDate } from './expiry.ts';
import { hasOuterSpace, KeyField, useKeepsSpace } from './KeyField.tsx';
import { LicenseFields } from './LicenseFields.tsx';

interface Props {
  license: License;
  onClose: () => void;
}

const FIELDS = [
  'license_key',
  'activations_limit',
  'order_id',
  'product_id',
  'user_id',
  'customer_email',
  ...TERM_NAMES,
] as const;

const valuesOf = (license: License) => ({
  ...valuesFor(license, FIELDS),
  status: String(license.status),
  ...expiryValuesOf(license.expires_at),
});

/** Edits a license. */
export function LicenseForm({ license, onClose }: Props) {
  const { t } = useTranslation('licenses');
  const { can } = useSession();
  const confirm = useConfirm();
  const keepsSpace = useKeepsSpace();
  const form = useForm({ mode: 'controlled', initialValues: valuesOf(license) });
  const params = { path: { license_id: license.id } };
  const saveMerged = useSaveMerged({
    kind: 'license',
    record: license,
    load: () => answer(api.GET('/licenses/{license_id}', { params })),
    send: (body, etag) =>
      answer(api.PATCH('/licenses/{license_id}', { params, body, headers: ifMatch(etag) })),
  });
  const save = useAction({
    mutationFn: saveMerged,
    onSuccess: async (saved) => {
      // First, so that the form, if it is opened again, shows what was saved.
      await licensesChanged();
      if (!saved) return;
      doneToast(t('saved'));
      onClose();
    },
    onError: (error) => form.setErrors(expiryErrors(fieldErrors(error))),
  });
  // Send only the changed fields: keep others' concurrent changes, and the seconds that the form does not show.
  const submit = form.onSubmit(async (values) => {
    const { expiry, date, ...changes } = changesOf(form.getInitialValues(), values);
    const isExpiryChanged = expiry !== undefined || (date !== undefined && values.expiry === 'date');
    if (isExpiryChanged && lacksDate(values)) return form.setErrors({ date: t('form.required') });
    const body = {
      ...Object.fromEntries(
        Object.entries(changes).map(([name, value]) => [name, value === '' ? null : value]),
      ),
      ...(isExpiryChanged && { expires_at: changedExpiry(values) }),
    };
    if (Object.keys(body).length === 0) return onClose();
    const key = changes.license_key;
    if (key !== undefined && hasOuterSpace(String(key)) && !(await confirm(keepsSpace))) return;
    save.mutate(body);
  });
  return (
    <FormDialog
      onClose={onClose}
      title={t('edit')}
      onSubmit={submit}
      action={t('save')}
      sent={save}
      fields={{ ...form.getValues(), ...EXPIRY_FIELDS }}
      asDrawer
    >
      {can('licenses.keys') && <KeyField inputProps={form.getInputProps('license_key')} />}
      <LicenseFields inputProps={(name) => form.getInputProps(name)} />
    </FormDialog>
  );
}
