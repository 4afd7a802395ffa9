import type { TFunction } from 'i18next';
import { queryClient } from '../../app/query-client.ts';
import { CHANNELS, type Release, releasesQuery } from './queries.ts';

/** Returns the message after a release was published. It names a higher version, which stays the one that is offered. */
export async function publishedText(t: TFunction<'software'>, release: Release): Promise<string> {
  const { version } = release;
  const higher = await higherOffer(release).catch(() => null);
  return higher === null ? t('publish.done', { version }) : t('publish.doneLower', { version, higher });
}

/** Returns the version that the channel offers to everybody instead of a release; null if there is none. */
async function higherOffer({ id, software_id, channel }: Release): Promise<string | null> {
  const { items } = await queryClient.fetchQuery(releasesQuery(software_id, {}));
  const first = items.find(
    (item) =>
      item.id === id ||
      (item.status === 'published' &&
        item.rollout === 100 &&
        CHANNELS.indexOf(item.channel) <= CHANNELS.indexOf(channel)),
  );
  return first && first.id !== id ? first.version : null;
}
