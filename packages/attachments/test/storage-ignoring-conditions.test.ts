import { bucket, credentials, openStore } from './harness.ts'
import { describeStorage } from './storage.suite.ts'

describeStorage({
  name: 'a store that ignores copy conditions',
  honoursCopyConditions: false,
  verifiesHashes: true,
  async open() {
    const store = await openStore()
    store.faults.ignoreCopyConditions()
    return { ...credentials, bucket, url: store.url, close: () => store.close() }
  },
})
