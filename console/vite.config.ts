import react from '@vitejs/plugin-react';
import preset from 'postcss-preset-mantine';
import { defineConfig } from 'vite';

/** The API server during `npm run dev`. */
const SERVER = `http://127.0.0.1:${process.env.LATCHKEY_PORT ?? 8080}`;

/** Mantine components that only pages behind the sign-in use. */
const OF_PAGES =
  'Autocomplete|Badge|Checkbox|Combobox|Drawer|Menu|Pill|Popover|Progress|ScrollArea|Select|SimpleGrid|Switch|Table|Tooltip';
const KIT = new RegExp(
  `node_modules/(lucide|@mantine/(?!core/esm/components/(${OF_PAGES})/))|/console/(app|client)/`,
);

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
            // Code that every page starts with is one chunk. Mantine is not part of it: its components come from one module, so
            // every component of any page would count as initial.
            {
              name: 'start',
              tags: ['$initial'],
              test: /node_modules\/(?!@mantine|@floating-ui|lucide)|\/console\/ui\//,
              priority: 3,
            },
            // Shared code is in two chunks: the part that the sign-in page needs, and the rest.
            { name: 'kit', test: KIT, minShareCount: 6, priority: 2 },
            {
              name: 'pages',
              test: /node_modules\/(@mantine|@floating-ui)|\/console\/ui\//,
              minShareCount: 6,
              priority: 1,
            },
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
