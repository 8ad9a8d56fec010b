import type { DoctorCheck } from '@vertical-kit/core-audit/doctor'
import { readConfiguration } from '@vertical-kit/core-audit/host'
import { readAttachmentsConfig } from '../../src/config.ts'
import { storeChecks } from '../../src/storage/store-checks.ts'
import { storageEnvironment } from '../harness.ts'

/** Returns the checks of a deployment that uses the store at this endpoint, and whose database has no file. */
export function checksAt(
  endpoint: string,
  environment: Readonly<Record<string, string>> = {},
): readonly DoctorCheck[] {
  const { storage, ...config } = readConfiguration(
    { ...storageEnvironment(endpoint), ...environment },
    (env) => readAttachmentsConfig(env, { isEnabled: true }),
  )
  if (storage === null) throw new Error('expected a store')
  const clocks = { now: Date.now, signingNow: Date.now }
  return storeChecks({ ...config, ...clocks, config: storage, findNewestFile: async () => null })
}
