import { dirname, join } from 'node:path';

/** The bundler's information about modules. */
interface Graph {
  getModuleInfo(id: string): { code: string | null; importedIds: readonly string[] } | null;
}
interface Group {
  debugName: string;
  name(id: string, graph: Graph): string | null;
  priority: number;
}

/** The modules that a browser loads first. All others are loaded later, with a page or a part. */
export const FIRST = {
  start: ['main.tsx'],
  signIn: ['features/sign-in/SignInPage.tsx'],
  list: ['app/shell/Shell.tsx', 'features/licenses/LicensesPage.tsx'],
};

/** Matches a barrel: the module that re-exports all parts of a package. */
const BARREL =
  /node_modules\/(@mantine\/(?:core|form|hooks|spotlight)|lucide-react)\/(?:dist\/)?esm\/(?:index|lucide-react)\.mjs$/;
/**
 * Returns the chunk groups for the first load. There are few, because each file costs a request: `start` for every page,
 * `list` for the list of licenses, and `sign-in`. Modules that both `sign-in` and `list` need are in `start`.
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

/** Returns the modules that files import, directly and indirectly. Of a barrel, only the named parts count. */
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

/** Parses the named imports and exports of a module: `[['A', 'B as C'], './parts.mjs']`. */
const importsOf = (code: string): [names: string[], from: string][] =>
  [...code.matchAll(/\b(?:import|export) \{?([^;{}]+?)\}? from ["']([^"']+)["']/g)].map(
    ([, names = '', from = '']) => [names.split(',').map((name) => name.trim()), from],
  );

const namesFrom = (source: string, code: string): string[] =>
  importsOf(code).flatMap(([names, from]) =>
    from === source ? names.map((one) => one.split(' as ')[0] ?? '') : [],
  );

/** Returns the modules that define the named parts of a barrel. */
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
