import react from '@vitejs/plugin-react';
import preset from 'postcss-preset-mantine';
import { defineConfig } from 'vite';

/** Where the server is that answers the console's calls during `npm run dev`. */
const SERVER = `http://127.0.0.1:${process.env.LATCHKEY_PORT ?? 8080}`;

/** Parts that only pages behind the sign-in have. */
const OF_PAGES =
  'Autocomplete|Badge|Checkbox|Combobox|Drawer|Menu|Pill|Popover|Progress|ScrollArea|Select|SimpleGrid|Switch|Table|Tooltip';
const KIT = new RegExp(
  `node_modules/(lucide|@mantine/(?!core/esm/components/(${OF_PAGES})/))|/console/(app|client)/`,
);

export default defineConfig(({ command }) => ({
  root: import.meta.dirname,
  // Addresses in what is built are relative: the server may be below any path.
  base: command === 'build' ? './' : '/console/',
  plugins: [react()],
  css: { postcss: { plugins: [preset()] } },
  build: {
    target: 'es2023',
    manifest: true,
    license: { fileName: 'licenses.md' },
    // Inline data would be kept from being cached, and be in the way of the policy.
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 600,
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            // What every page begins with is one file. Not of Mantine, of which pages have their own parts; what these
            // need is told to be of the beginning, too, for all of them come by one module.
            {
              name: 'start',
              tags: ['$initial'],
              test: /node_modules\/(?!@mantine|@floating-ui|lucide)|\/console\/ui\//,
              priority: 3,
            },
            // What many pages have is two: what the sign-in page needs of it, and the rest.
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
