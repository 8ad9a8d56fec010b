// An outbox processor that kills itself: `node --conditions=@vertical-kit/source dying-processor.ts <url> <moment> <how>`.
// It dies at the moment with the given zero-based index, either immediately or while the following statement is in flight.

import { createDatabase, databaseDefaults } from '@vertical-kit/core-audit/database'
import { makeProcessor } from '../desk.ts'
import { eventHandlers } from './event-handlers.ts'
import { observeMoments } from './moments.ts'

const [url = '', moment = '', how = ''] = process.argv.slice(2)
const kill = () => process.kill(process.pid, 'SIGKILL')
let count = 0
const database = observeMoments(createDatabase({ ...databaseDefaults, url, poolMax: 1 }), () => {
  if (count === Number(moment)) {
    if (how === 'now') kill()
    // The driver writes in the next turn of the event loop, so the statement is sent and its response is never read.
    setImmediate(() => setImmediate(kill))
  }
  count += 1
})
await makeProcessor(database, eventHandlers).run()
