import { type ObjectStoreOptions, startObjectStore } from '../../src/object-store/object-store.ts'

// Runs a store in a separate process, which a test kills. Reads its options as JSON and sends its URL.
const options: ObjectStoreOptions = JSON.parse(process.argv[2] ?? '')
const { url } = await startObjectStore(options)
process.send?.(url)
