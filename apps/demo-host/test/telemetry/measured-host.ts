import { startObjectStore } from '@vertical-kit/dev-services'
import { onTestFinished } from 'vitest'
import { type RecordedTelemetry, recordTelemetry } from '../../../../vitest.record-telemetry.ts'
import { dataFolder, externalStore } from '../demo-process.ts'
import { type Deployment, openDeployment, type Replica } from '../work-center/hosts.ts'

/** A host with all features in the process of the test, and its recorded telemetry. */
export interface MeasuredHost {
  readonly deployment: Deployment
  readonly replica: Replica
  readonly telemetry: RecordedTelemetry
  /** The configuration of the host's features, for another replica. */
  readonly environment: Readonly<Record<string, string>>
}

/** Starts a host for one test. OpenTelemetry's SDK is registered before the host starts. */
export async function openMeasuredHost(): Promise<MeasuredHost> {
  const telemetry = recordTelemetry()
  onTestFinished(() => telemetry.stop())
  const folder = await dataFolder()
  onTestFinished(() => folder.remove())
  const store = await startObjectStore({
    directory: folder.path,
    buckets: ['vertical-kit-attachments'],
    credentials: [{ accessKeyId: 'demo', secretAccessKey: 'demo-secret-key' }],
  })
  onTestFinished(() => store.close())
  const deployment = await openDeployment()
  onTestFinished(() => deployment.close())
  const environment = {
    FeatureManagement__Attachments: 'true',
    FeatureManagement__Notes: 'true',
    ...externalStore(store.url),
  }
  return { deployment, replica: await deployment.openReplica(environment), telemetry, environment }
}
