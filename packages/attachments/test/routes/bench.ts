import type { TestRequest } from '@vertical-kit/core-audit/testing'
import type { ObjectStore } from '@vertical-kit/dev-services'
import {
  type AttachmentsHost,
  type AttachmentsHostOptions,
  allPermissions,
  openAttachmentsHost,
  openStore,
} from '../harness.ts'

/** A test host with an object store and three users. */
export interface RoutesBench extends AttachmentsHost {
  readonly store: ObjectStore
  readonly clerk: TestRequest
  /** A second user with the same permissions as the clerk. */
  readonly colleague: TestRequest
  /** A user without permissions. */
  readonly outsider: TestRequest
}

export async function openRoutesBench(
  environment: NonNullable<AttachmentsHostOptions['environment']> = {},
): Promise<RoutesBench> {
  const store = await openStore()
  const host = await openAttachmentsHost({ store, environment })
  return {
    ...host,
    store,
    clerk: await host.as({ subject: 'clerk', name: 'Clara Clerk', permissions: allPermissions }),
    colleague: await host.as({ subject: 'colleague', permissions: allPermissions }),
    outsider: await host.as({ subject: 'outsider', permissions: [] }),
    async close() {
      await host.close()
      await store.close()
    },
  }
}
