#!/usr/bin/env node
import { setFlagsFromString } from 'node:v8';

// Keeps the space for new objects at its first size, 1 MiB. V8 would let it grow sixteenfold, and with it what the
// buffers of uploads and downloads take, which go only when that space is cleared. It must be said before anything
// large is loaded, so the program comes after it.
setFlagsFromString('--semi-space-growth-factor=1');
await import('./wiring.ts');
