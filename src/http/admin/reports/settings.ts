import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import { CHECKS } from '../../../app/reports/installation.ts';
import { toDatetime } from '../../../domain/datetime.ts';
import { refuse } from '../../errors.ts';
import type { Services } from '../../services.ts';
import { answerLines } from '../batches/lines.ts';
import { adminRouter, nullable } from '../route.ts';

const Setting = Type.Object({
  variable: Type.String(),
  flag: nullable(Type.String({ description: 'Null if it is secret: secrets have no flags' })),
  meaning: Type.String(),
  fallback: Type.String({ description: 'The default, in words' }),
  is_secret: Type.Boolean(),
  is_set: Type.Boolean({ description: 'Whether a flag or a variable sets it' }),
  value: nullable(Type.String({ description: 'Null if it is secret or empty' })),
});

const Installation = Type.Object({
  version: Type.String(),
  runtime: Type.String({ description: 'The version of Node.js' }),
  database: Type.Object({
    kind: Type.Union([Type.Literal('sqlite'), Type.Literal('postgres')]),
    place: Type.String({ description: 'The folder, or the address without user and password' }),
  }),
  schema: Type.String(),
  storage: Type.Object({
    kind: Type.Union([Type.Literal('folder'), Type.Literal('bucket')]),
    place: Type.String({ description: 'The data directory, or the name of the bucket' }),
  }),
  processes: Type.Integer(),
  started_at: Type.String({ description: 'The start of the process that answers' }),
  master_key: Type.Object({
    fingerprint: Type.String(),
    is_file: Type.Boolean(),
    /** Set while the master key is being rotated. */
    rotation_begun_at: nullable(Type.String()),
    retired: Type.Integer({ description: 'The number of earlier master keys' }),
  }),
  backups: Type.Object({
    folder: Type.String(),
    every_hours: Type.Integer({ description: '0 if the server makes no backups' }),
    newest: nullable(Type.Object({ begun_at: Type.String(), bytes: Type.Integer() })),
    problem: nullable(Type.String({ description: 'Why the folder cannot be read' })),
  }),
  health: Type.Array(
    Type.Object({
      check: Type.Enum(CHECKS),
      is_good: Type.Boolean(),
      amount: nullable(
        Type.Number({ description: 'Free bytes of the disk, or hours since the newest backup' }),
      ),
    }),
  ),
  settings: Type.Array(Setting),
});

export function settingRoutes(app: FastifyInstance, { store, installation }: Services): void {
  const route = adminRouter(app, 'Settings');

  route.get('/settings', {
    operationId: 'getSettings',
    summary: 'Get the settings of the server and the places of its data',
    description: 'A secret setting has no value here, only whether it is set.',
    session: 'settings.read',
    data: Installation,
    async handler() {
      const [masterKey, backups, health] = await Promise.all([
        store.read.masterKey.state(),
        installation.backups(),
        installation.health(),
      ]);
      const { newest } = backups;
      return {
        ...installation,
        startedAt: toDatetime(installation.startedAt),
        masterKey: {
          fingerprint: masterKey.fingerprint,
          isFile: installation.masterKeyIsFile,
          rotationBegunAt: masterKey.rotation?.begunAt ?? null,
          retired: masterKey.retired.length,
        },
        backups: { ...backups, newest: newest && { ...newest, begunAt: toDatetime(newest.begunAt) } },
        health,
      };
    },
  });

  route.post('/backups', {
    operationId: 'createBackup',
    summary: 'Make a backup in the folder of the settings',
    description:
      'As the server does by its schedule: the oldest backups beyond the number to keep are removed. The result is ' +
      '{"file","bytes","problem"}; problem says why no backup was made. If the client disconnects, none is made.',
    session: 'backups.create',
    data: 'lines',
    handler: ({ request, reply }) =>
      answerLines(request, reply, async ({ progress, signal }) => {
        let steps = 0;
        const made = await installation.backUp(signal, () => progress(++steps, null));
        if (made === null) throw refuse('unavailable');
        const { file, problem } = made;
        if (problem === null) request.log.info({ file }, 'a backup was made from the console');
        else request.log.error({ problem }, 'the backup from the console failed');
        return made;
      }),
  });
}
