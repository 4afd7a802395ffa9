#!/usr/bin/env node
// Says in words that Node.js is too old. So this file is in the JavaScript that old ones read, and imports nothing before it
// knows: a module that lacks what is asked of it, or a syntax that is unknown, ends in a SyntaxError that tells nobody why.
/** As package.json has it (`engines`). */
const NEEDED = 24;
if (Number(process.versions.node.split('.')[0]) >= NEEDED) {
  import('./prepare.js');
} else {
  process.stderr.write(
    `Latchkey needs Node.js ${NEEDED} or later, and was started with ${process.versions.node} (${process.execPath}).\n`,
  );
  process.exitCode = 1;
}
