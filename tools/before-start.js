// `npm start` runs this before it starts the server. An older Node.js cannot run the build, so there src/start.js says what
// is needed.
if (process.features.typescript)
  import('../console/build.ts').then(({ buildConsole }) => buildConsole({ ifMissing: true }));
