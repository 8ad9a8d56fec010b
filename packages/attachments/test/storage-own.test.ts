import { bucket, credentials, openStore } from './harness.ts'
import { describeStorage } from './storage.suite.ts'

describeStorage({
  name: 'a store that honours copy conditions',
  honoursCopyConditions: true,
  verifiesHashes: true,
  async open() {
    const store = await openStore()
    return { ...credentials, bucket, url: store.url, close: () => store.close() }
  },
})
