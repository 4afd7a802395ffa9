import { dirname, join } from 'node:path';

/** What the bundler knows about modules. */
interface Graph {
  getModuleInfo(id: string): { code: string | null; importedIds: readonly string[] } | null;
}
interface Group {
  debugName: string;
  name(id: string, graph: Graph): string | null;
  priority: number;
}

/** What a browser loads first. All else is loaded later, with a page or a part. */
export const FIRST = {
  start: ['main.tsx'],
  signIn: ['features/sign-in/SignInPage.tsx'],
  list: ['app/shell/Shell.tsx', 'features/licenses/LicensesPage.tsx'],
};

/** The module of a package that exports all of its parts. */
const BARREL =
  /node_modules\/(@mantine\/(?:core|form|hooks|spotlight)|lucide-react)\/(?:dist\/)?esm\/(?:index|lucide-react)\.mjs$/;
/**
 * Groups for what opens first, in few files, because each costs a request: `start` for every page, `list` for the list of
 * licenses, and `sign-in`. What sign-in and list share is in `start`.
 */
export function firstChunks(): Group[] {
  let chunks: Map<string, string> | undefined;
  return ['start', 'sign-in', 'list'].map((name, i) => ({
    debugName: name,
    priority: 9 - i,
    name(id, graph) {
      chunks ??= chunksOf(graph);
      return chunks.get(id) === name ? name : null;
    },
  }));
}

function chunksOf(graph: Graph): Map<string, string> {
  const start = neededBy(FIRST.start, graph);
  const signIn = neededBy(FIRST.signIn, graph);
  const list = neededBy(FIRST.list, graph);
  return new Map([
    ...[...list].map((id): [string, string] => [id, 'list']),
    ...[...signIn].map((id): [string, string] => [id, list.has(id) ? 'start' : 'sign-in']),
    ...[...start].map((id): [string, string] => [id, 'start']),
  ]);
}

/** The modules that files import, and those that they import in turn. Of a barrel, only the parts that are named. */
function neededBy(files: readonly string[], graph: Graph): Set<string> {
  const needed = new Set<string>();
  const visit = (id: string) => {
    if (needed.has(id)) return;
    needed.add(id);
    const { code, importedIds } = moduleOf(id, graph);
    for (const imported of importedIds) {
      const [, name] = BARREL.exec(imported) ?? [];
      if (name === undefined) visit(imported);
      else for (const part of partsOf(imported, namesFrom(name, code), graph)) visit(part);
    }
  };
  for (const file of files) visit(join(import.meta.dirname, file));
  return needed;
}

function moduleOf(id: string, graph: Graph): { code: string; importedIds: readonly string[] } {
  const module = graph.getModuleInfo(id);
  if (!module) throw new Error(`the build has no ${id}`);
  return { code: module.code ?? '', importedIds: module.importedIds };
}

/** What a module imports or exports by name: `[['A', 'B as C'], './parts.mjs']`. */
const importsOf = (code: string): [names: string[], from: string][] =>
  [...code.matchAll(/\b(?:import|export) \{?([^;{}]+?)\}? from ["']([^"']+)["']/g)].map(
    ([, names = '', from = '']) => [names.split(',').map((name) => name.trim()), from],
  );

const namesFrom = (source: string, code: string): string[] =>
  importsOf(code).flatMap(([names, from]) =>
    from === source ? names.map((one) => one.split(' as ')[0] ?? '') : [],
  );

/** The modules of a barrel's parts. */
function partsOf(barrel: string, names: readonly string[], graph: Graph): string[] {
  const { code, importedIds } = moduleOf(barrel, graph);
  const imports = importsOf(code);
  return names.map((name) => {
    const [, from] =
      imports.find(([parts]) => parts.some((part) => part.split(' as ').at(-1) === name)) ?? [];
    const isFrom = (id: string) =>
      from?.startsWith('.') ? id === join(dirname(barrel), from) : id.includes(`/node_modules/${from}/`);
    const id = importedIds.find(isFrom);
    if (!id) throw new Error(`${barrel} has no ${name}`);
    return id;
  });
}
