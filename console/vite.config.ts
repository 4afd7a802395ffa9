import react from '@vitejs/plugin-react';
import preset from 'postcss-preset-mantine';
import { defineConfig } from 'vite';
import { firstChunks } from './chunks.ts';

/** The API server during `npm run dev`. */
const SERVER = `http://127.0.0.1:${process.env.LATCHKEY_PORT ?? 8080}`;

/**
 * Matches the modules that most pages share. Charts, uploads and QR codes stay out, because few pages use them and they are
 * large: a chunk also contains what its modules import.
 */
const SHARED =
  /node_modules\/(lucide-react|@mantine\/(core|hooks|form))\/|\/console\/(app|ui(?!\/(DayChart|QrCode|forms\/FileDrop)))\//;

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
            ...firstChunks(),
            { name: 'pages', test: SHARED, minShareCount: 2, priority: 1 },
            { name: 'licenses', test: /console\/features\/licenses\//, minShareCount: 2, priority: 1 },
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
