// `npm start` runs this before it starts the server. An older Node.js cannot run the build; src/start.js then says what
// is needed.
if (process.features.typescript)
  import('../console/build.ts').then(({ buildConsole }) => buildConsole({ ifMissing: true }));
