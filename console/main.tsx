import './ui/loading/first-styles.ts';
import './app/base.css';
import { MantineProvider } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import i18next from 'i18next';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { queryClient } from './app/query-client.ts';
import { loadPage, router } from './app/router.tsx';
import { ignoreSecondClicks } from './app/second-clicks.ts';
import { sessionQuery } from './app/session.ts';
import { colorScheme, cssVariables, theme } from './app/theme.ts';
import { STYLE_NONCE } from './client/base.ts';
import { startLanguage } from './ui/language.ts';

// Mantine's scroll lock reads the nonce for its style element from this global.
Object.assign(globalThis, { __webpack_nonce__: STYLE_NONCE });

ignoreSecondClicks();
// Load the session, the texts, and the code and data of the page concurrently.
void queryClient.prefetchQuery(sessionQuery);
const speaking = startLanguage();
loadPage();
await speaking;
const waiting = document.querySelector('#start p');
if (waiting) waiting.textContent = i18next.t('shell:waiting');
createRoot(document.getElementById('root') as HTMLElement).render(
  <StrictMode>
    <MantineProvider
      theme={theme}
      cssVariablesResolver={cssVariables}
      colorSchemeManager={colorScheme}
      defaultColorScheme="auto"
      getStyleNonce={() => STYLE_NONCE}
    >
      {/* At the right they would cover the pager of a list. */}
      <Notifications position="bottom-left" />
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
);
