import { type ObjectStoreOptions, startObjectStore } from '../../src/object-store/object-store.ts'

// A store in a process of its own, for a test that kills it: takes its options as JSON, sends its URL.
const options: ObjectStoreOptions = JSON.parse(process.argv[2] ?? '')
const { url } = await startObjectStore(options)
process.send?.(url)
