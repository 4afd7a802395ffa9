import { loadConfig } from './config.ts';
import { serve } from './serve.ts';

const loaded = loadConfig(process.env);
if (!loaded.ok) throw new Error(loaded.problem);
await serve(loaded.config, loaded.warnings, console.log);
