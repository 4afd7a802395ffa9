#!/usr/bin/env node
// Reports a version of Node.js that is too old. This file uses only old syntax, and imports nothing before the check: an
// unknown syntax or a missing export would end in a SyntaxError that explains nothing.
/** The same version as in package.json (`engines`). */
const NEEDED = 24;
if (Number(process.versions.node.split('.')[0]) >= NEEDED) {
  import('./prepare.js');
} else {
  process.stderr.write(
    `Latchkey needs Node.js ${NEEDED} or later, and was started with ${process.versions.node} (${process.execPath}).\n`,
  );
  process.exitCode = 3;
}
