import react from '@vitejs/plugin-react';
import preset from 'postcss-preset-mantine';
import { defineConfig } from 'vite';

/** Where the server is that answers the console's calls during `npm run dev`. */
const SERVER = `http://127.0.0.1:${process.env.LATCHKEY_PORT ?? 8080}`;

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
            // What every page begins with is one file. Not of Mantine, of which pages have their own parts.
            { name: 'start', tags: ['$initial'], test: /node_modules\/(?!@mantine|lucide)/ },
            // What many pages have is one, too.
            {
              name: 'kit',
              test: /node_modules\/(@mantine|lucide)|\/console\/(ui|app|client)\//,
              minShareCount: 6,
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
