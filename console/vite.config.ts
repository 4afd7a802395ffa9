import react from '@vitejs/plugin-react';
import preset from 'postcss-preset-mantine';
import { defineConfig } from 'vite';

/** The API server during `npm run dev`. */
const SERVER = `http://127.0.0.1:${process.env.LATCHKEY_PORT ?? 8080}`;

/** Mantine components that only pages behind the sign-in use. */
const OF_PAGES =
  'AppShell|Autocomplete|Badge|Burger|Checkbox|Combobox|Drawer|Kbd|Menu|Pill|NativeSelect|NumberInput|PillsInput|Popover|Progress|ScrollArea|SegmentedControl|Select|SimpleGrid|Skeleton|Slider|Stepper|Switch|Table|Tabs|Textarea|Tooltip';
const KIT = new RegExp(
  `node_modules/(lucide|@floating-ui|@mantine/(?!core/esm/components/(${OF_PAGES})/|charts|dates|dropzone|form|spotlight))`,
);
/** What the sign-in page has besides. */
const SIGN_IN =
  /console\/(features\/sign-in|app\/shell\/PublicPage|ui\/forms\/(PasswordField|use-faults|form-values))/;
/** What most pages share. Charts, uploads and pictures of codes are large and of few: a module takes along what it imports. */
const SHARED =
  /node_modules\/@mantine\/(core|hooks|form)|\/console\/(app|ui(?!\/(DayChart|QrCode|forms\/FileDrop)))\//;

export default defineConfig(({ command }) => ({
  root: import.meta.dirname,
  // Relative URLs: the server may be below any path.
  base: command === 'build' ? './' : '/console/',
  plugins: [react()],
  css: { postcss: { plugins: [preset()] } },
  build: {
    target: 'es2023',
    manifest: true,
    license: { fileName: 'licenses.md' },
    // Inlined assets cannot be cached, and the content security policy forbids them.
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 600,
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            // Few files, because each costs a request: first all that every page starts with. Mantine is not part of it: its
            // components come from one module, so every component of any page would count as initial.
            {
              name: 'start',
              tags: ['$initial'],
              test: /node_modules\/(?!@mantine|@floating-ui|lucide)|\/console\/(ui|app|client|features)\/|rolldown\/runtime|preload-helper/,
              priority: 3,
            },
            // Shared code is in two files: the part that the sign-in page needs, and the rest.
            { name: 'kit', test: KIT, minShareCount: 2, priority: 2 },
            { name: 'pages', test: SHARED, minShareCount: 2, priority: 1 },
            { name: 'licenses', test: /console\/features\/licenses\//, minShareCount: 2, priority: 1 },
            { name: 'sign-in', test: SIGN_IN, priority: 3 },
          ],
        },
      },
    },
    modulePreload: { polyfill: false },
  },
  server: {
    proxy: { '/console/api': { target: SERVER }, '/docs': { target: SERVER } },
  },
}));
