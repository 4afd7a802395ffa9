import { SimpleGrid, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useNavigate } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { doneToast } from '../../ui/feedback/toasts.tsx';
import { Select } from '../../ui/forms/choices.tsx';
import { EXACT_TEXT } from '../../ui/forms/exact-text.ts';
import { FormDialog } from '../../ui/forms/FormDialog.tsx';
import { submitting } from '../../ui/forms/submitting.ts';
import { ProductChoice } from '../../ui/products/ProductChoice.tsx';
import { hasTwice, PictureFields } from './PictureFields.tsx';
import { type Picture, type Software, type SoftwareValues, useSaveSoftware } from './queries.ts';

const valuesOf = (software: Software | null): SoftwareValues => ({
  name: software?.name ?? '',
  slug: software?.slug ?? '',
  access: software?.access ?? 'licensed',
  product_ids: software && software.product_ids.length > 0 ? software.product_ids : null,
  url: software?.url ?? '',
  type: software?.type ?? 'wp',
  tested: software?.tested ?? '',
  requires: software?.requires ?? '',
  requires_php: software?.requires_php ?? '',
  icons: picturesOf(software?.icons),
  banners: picturesOf(software?.banners),
});

const picturesOf = (pictures: Software['icons'] | undefined): Picture[] =>
  Object.entries(pictures ?? {}).map(([name, url]) => ({ name, url }));

/** The image names of WordPress, which other updaters use too. */
const ICONS = ['1x', '2x', 'svg', 'default'];
const BANNERS = ['low', 'high'];

interface Props {
  /** Null to create software; its page then opens. */
  software: Software | null;
  onClose: () => void;
}

export function SoftwareForm({ software, onClose }: Props) {
  const { t } = useTranslation(['software', 'products']);
  const navigate = useNavigate();
  const oneEach = (pictures: Picture[]) => (hasTwice(pictures) ? t('pictures.twice') : null);
  const form = useForm<SoftwareValues>({
    mode: 'controlled',
    initialValues: valuesOf(software),
    validate: {
      icons: oneEach,
      banners: oneEach,
      product_ids: (chosen) => (chosen?.length === 0 ? t('products:chooseOne') : null),
    },
  });
  const save = useSaveSoftware(software);
  const submit = submitting(form, async (values) => {
    const saved = await save.mutateAsync({ values, before: form.getInitialValues() });
    if (!saved) return;
    const { id, name } = saved;
    doneToast(t(software ? 'saved' : 'created', { name }));
    onClose();
    // The router does not know yet that the form is closed.
    if (!software) await navigate({ to: '/software/$id', params: { id: String(id) }, ignoreBlocker: true });
  });
  return (
    <FormDialog
      onClose={onClose}
      title={software ? t('editTitle', { name: software.name }) : t('createTitle')}
      onSubmit={submit}
      action={software ? t('saveChanges') : t('create')}
      sent={save}
      fields={form.getValues()}
      asDrawer
    >
      <TextInput label={t('column.name')} required data-autofocus {...form.getInputProps('name')} />
      <TextInput
        label={t('column.slug')}
        description={`${t('field.slugHint')} ${t(software ? 'field.slugChange' : 'field.slugFromName')}`}
        {...EXACT_TEXT}
        {...form.getInputProps('slug')}
      />
      <Select
        label={t('field.access')}
        allowDeselect={false}
        data={(['licensed', 'public'] as const).map((value) => ({ value, label: t(`access.${value}Long`) }))}
        {...form.getInputProps('access')}
      />
      <ProductChoice
        legend={t('field.products')}
        chosen={form.values.product_ids}
        onChange={(chosen) => form.setFieldValue('product_ids', chosen)}
        error={form.errors.product_ids}
      />
      <TextInput label={t('field.url')} type="url" {...form.getInputProps('url')} />
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <TextInput label={t('field.type')} {...form.getInputProps('type')} />
        <TextInput label={t('field.tested')} {...form.getInputProps('tested')} />
        <TextInput label={t('field.requires')} {...form.getInputProps('requires')} />
        <TextInput label={t('field.requiresPhp')} {...form.getInputProps('requires_php')} />
      </SimpleGrid>
      <PictureFields
        label={t('field.icons')}
        hint={t('field.iconsHint')}
        names={ICONS}
        {...form.getInputProps('icons')}
      />
      <PictureFields
        label={t('field.banners')}
        hint={t('field.bannersHint')}
        names={BANNERS}
        {...form.getInputProps('banners')}
      />
    </FormDialog>
  );
}
