import { type ObjectStoreOptions, startObjectStore } from '../../src/object-store/object-store.ts'

// Runs a store in a process that a test kills. Reads its options as JSON from an argument and sends its URL to the test.
const options: ObjectStoreOptions = JSON.parse(process.argv[2] ?? '')
const { url } = await startObjectStore(options)
process.send?.(url)
