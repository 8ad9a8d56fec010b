import type { MigrationPack } from '@vertical-kit/core-audit/database'

/** The migrations of this package. Apply them after the migrations of `core-audit`, and only if a host runs webhooks. */
export const webhooksMigrations: MigrationPack = {
  name: '@vertical-kit/webhooks',
  directory: new URL('../migrations/', import.meta.url),
}
